import { platformOf } from '../../../contract/sets.ts'
import { storeOf } from '../../../contract/spellings/stores.ts'
import { buildRunIdOf } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import type { Delivery, Dialect, Provider } from '../../provider.ts'
import { at, object, text, time, Unreadable, word } from '../../reading.ts'
import { unknownFields } from '../../reports/unknown-fields.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { isUnity, unityDelivery, unityEvent, unitySignature } from '../unity.ts'
import { appleKey, appleSignature, appleType, readApple } from './apple.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'
import { readUnity } from './unity.ts'
import { statusOf } from './words.ts'

/** Stores: reports of a studio's upload script, or of App Store Connect and Unity themselves. */
export const deployment: Provider = {
  name: 'deployment',
  label: 'Stores',
  reports: 'Uploads to Steam, Epic, the App Store, Google Play and others',
  category: 'stores',
  paths: ['deployment'],
  tokenHeader: null,
  answers: 200,
  verify: (delivery, secrets, required) =>
    isAuthentic(
      secrets,
      required,
      appleSignature(delivery, secrets),
      unitySignature(delivery, secrets),
      senderSignature(delivery, secrets),
    ),
  deliveryKey: (delivery) => dialect(delivery).deliveryKey?.(delivery),
  event: (delivery) => dialect(delivery).event(delivery),
  read: (delivery) => dialect(delivery).read(delivery),
  setup,
  sample,
}

const APPLE: Dialect = {
  deliveryKey: ({ body }) => appleKey(body),
  event: ({ body }) => appleType(body) ?? 'unknown',
  read: ({ body }) => readApple(body),
}
const UNITY: Dialect = { deliveryKey: unityDelivery, event: unityEvent, read: ({ body }) => readUnity(body) }
const SCRIPT: Dialect = { event: ({ body }) => eventOf(body) ?? 'unknown', read: ({ body }) => [report(body)] }

function dialect(delivery: Delivery): Dialect {
  if (text(at(delivery.body, 'platform')) !== undefined && at(delivery.body, 'buildTargetName') === undefined) return SCRIPT
  if (appleType(delivery.body) !== undefined) return APPLE
  return isUnity(delivery) ? UNITY : SCRIPT
}

const eventOf = (body: unknown) => text(at(body, 'event')) ?? text(at(body, 'status'))

function report(reported: unknown): Fact {
  const body = object(reported)
  const named = text(at(body, 'platform'))?.trim()
  if (!body || !named) throw new Unreadable('A deployment report is JSON with platform, event and build_number.')
  const platform = platformOf(named)
  const build_number = word(at(body, 'build_number'))
  const version = word(at(body, 'version'))
  const external_id = word(at(body, 'external_id')) ?? word(at(body, 'steam_app_id'))
  const external_build_id = word(at(body, 'external_build_id'))
  const subject = build_number ?? version ?? external_build_id ?? external_id
  if (subject === undefined)
    throw new Unreadable('A deployment report needs build_number, version, external_build_id or external_id.')

  const event = eventOf(body)
  const store = platform === 'custom' ? storeOf(named) : ''
  const status = event === undefined ? undefined : statusOf(event, store || platform)
  const warnings = [
    ...(status === undefined ? [`The event ${JSON.stringify(event ?? null)} is not known; the status stays as it was.`] : []),
    ...unknownFields(body, FIELDS),
  ]
  return {
    kind: 'deployment',
    platform,
    // All unknown stores share one platform; their names keep them apart.
    key: store === '' ? subject : `${store} ${subject}`,
    ...(store !== '' && { store }),
    ...status,
    ...(warnings.length > 0 && { warnings }),
    job_name: text(at(body, 'job_name')),
    build_number,
    track: text(at(body, 'track')),
    branch: text(at(body, 'branch')),
    version,
    external_id,
    external_build_id,
    commit: word(at(body, 'commit')) ?? word(at(body, 'commit_hash')),
    changelist: word(at(body, 'changelist')),
    build_run_id: buildRunIdOf(body),
    reason: text(at(body, 'reason')),
    at: time(at(body, 'timestamp')),
  }
}

const FIELDS = new Set(
  [
    'token platform event status job_name build_number build_run_id version branch track commit commit_hash changelist',
    'external_id external_build_id steam_app_id reason timestamp',
  ].flatMap((line) => line.split(' ')),
)
