import { flatOrigin } from '../../build-origin.ts'
import { artifactsOf, between, branchOf, buildTypeOf, durationOf, logOf, stepsOf } from '../../build-report.ts'
import type { BuildFact } from '../../facts.ts'
import type { Delivery, Dialect, Provider, Unparsed } from '../../provider.ts'
import { at, link, object, text, time, Unreadable, word } from '../../reading.ts'
import { dimensionsOf, misreadDimensions } from '../../reports/build-dimensions.ts'
import { unknownFields } from '../../reports/unknown-fields.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { isUnity, unityDelivery, unityEvent, unitySignature } from '../unity.ts'
import { isPluginEvent, pluginEvent, readPluginEvent } from './events.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { upstreamOf } from './job.ts'
import { isNotification, notificationEvent, notificationKey, readNotification } from './notification.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { KNOWN_WORDS, statusOf } from './status.ts'
import { readUnityBuild } from './unity.ts'

/** Jenkins and every other CI that can post: a flat report, or the body of a plugin. */
export const jenkins: Provider = {
  name: 'jenkins',
  label: 'Jenkins or any CI',
  reports: 'Builds, logs and artifacts, from any CI or with curl',
  category: 'builds',
  paths: ['jenkins', 'jenkins/build_notification', 'jenkins/commit_trigger', 'ci', 'ci/build_notification', 'ci/commit_trigger'],
  logPaths: ['jenkins/log', 'ci/log'],
  tokenHeader: 'x-webhook-token',
  answers: 200,
  withoutVerify: true,
  verify: (delivery, secrets, required) =>
    action(delivery) === 'build_notification'
      ? isAuthentic(secrets, true, senderSignature(delivery, secrets))
      : isAuthentic(secrets, required, unitySignature(delivery, secrets), senderSignature(delivery, secrets)),
  deliveryKey: (delivery) => dialect(delivery).deliveryKey?.(delivery),
  event: (delivery) => dialect(delivery).event(delivery),
  read: (delivery) => dialect(delivery).read(delivery),
  server,
  places,
  followUp,
  history,
  setup,
  sample,
}

const action = (delivery: Unparsed) => delivery.path.split('/')[1]

const NOTIFICATION: Dialect = {
  deliveryKey: ({ body }) => notificationKey(body),
  event: ({ body }) => notificationEvent(body),
  read: ({ body }) => readNotification(body),
}
const PLUGIN_EVENT: Dialect = {
  deliveryKey: ({ body }) => text(at(body, 'id')),
  event: ({ body }) => pluginEvent(body),
  read: ({ body }) => readPluginEvent(body),
}
const UNITY: Dialect = { deliveryKey: unityDelivery, event: unityEvent, read: ({ body }) => readUnityBuild(body) }
const TRIGGER: Dialect = { event: () => 'commit_trigger', read: ({ body }) => [trigger(body)] }
const FLAT: Dialect = {
  event: ({ body }) => `build ${statusOf(at(body, 'status'))?.status ?? 'report'}`,
  read: ({ body }) => [report(body)],
}

function dialect(delivery: Delivery): Dialect {
  if (action(delivery) === 'build_notification') return NOTIFICATION
  if (action(delivery) === 'commit_trigger') return TRIGGER
  if (isUnity(delivery)) return UNITY
  if (isNotification(delivery.body)) return NOTIFICATION
  return isPluginEvent(delivery.body) ? PLUGIN_EVENT : FLAT
}

function report(reported: unknown): BuildFact {
  const body = object(reported)
  const [job, run] = [text(at(body, 'job_name')), word(at(body, 'build_number'))]
  if (!body || job === undefined || run === undefined)
    throw new Unreadable('A build report is JSON with job_name, build_number and status.')
  const status = statusOf(at(body, 'status'))
  if (!status) throw new Unreadable(`status must be one of: ${KNOWN_WORDS.join(', ')}.`)
  const [started_at, finished_at] = [time(at(body, 'started_at')), time(at(body, 'finished_at'))]
  return {
    kind: 'build',
    build: { job, number: run },
    ...status,
    ...details(body),
    url: link(at(body, 'build_url')),
    phase: text(at(body, 'phase')),
    upstream: upstreamOf({ upstreamProject: at(body, 'upstream_job_name'), upstreamBuild: at(body, 'upstream_build_number') }),
    started_at,
    finished_at,
    duration_seconds: duration(body) ?? between(started_at, finished_at),
    log: logOf(body),
    steps: stepsOf(at(body, 'steps')),
    artifacts: artifactsOf(at(body, 'artifacts')),
    at: time(at(body, 'timestamp')),
    ...warned(body, REPORT_FIELDS),
  }
}

const COMMON_FIELDS =
  'token job_name commit commit_hash changelist branch build_type target_type platform configuration agent measures timestamp ' +
  'kind preflight bisect shelf pull_request repository head_repository target_branch'
const TRIGGER_FIELDS = new Set(COMMON_FIELDS.split(' '))
const REPORT_FIELDS = new Set([
  ...TRIGGER_FIELDS,
  ...'build_number status build_url phase upstream_job_name upstream_build_number started_at finished_at'.split(' '),
  ...'duration_seconds duration_ms duration logs_tail log console steps artifacts'.split(' '),
])

function warned(body: unknown, known: ReadonlySet<string>): Pick<BuildFact, 'warnings'> {
  const warnings = [...misreadDimensions(body), ...unknownFields(body, known)]
  return warnings.length > 0 ? { warnings } : {}
}

/** A plain `duration` is in milliseconds, like Jenkins' `currentBuild.duration`. */
const duration = (body: unknown): number | undefined =>
  durationOf(body, 'duration_seconds', 1) ?? durationOf(body, 'duration_ms', 1000) ?? durationOf(body, 'duration', 1000)

function trigger(body: unknown): BuildFact {
  const job = text(at(body, 'job_name'))
  const known = details(body)
  if (job === undefined || (known.commit_hash === undefined && known.changelist === undefined))
    throw new Unreadable('A commit trigger is JSON with job_name and a commit or a changelist.')
  const happened = time(at(body, 'timestamp'))
  return { kind: 'build', build: { job }, status: 'queued', start: true, ...known, at: happened, ...warned(body, TRIGGER_FIELDS) }
}

const details = (body: unknown) => ({
  commit_hash: word(at(body, 'commit')) ?? word(at(body, 'commit_hash')),
  changelist: word(at(body, 'changelist')),
  branch: branchOf(at(body, 'branch')),
  ...flatOrigin(body),
  build_type: buildTypeOf(at(body, 'build_type')),
  ...dimensionsOf(body),
})
