import type { Database } from '../../../db/database.ts'
import { enqueue, type Jobs } from '../../../db/queue.ts'
import * as builds from '../../../domain/builds/report.ts'
import { asking } from '../../../domain/integrations/context.ts'
import * as subjects from '../../../domain/integrations/job-subjects.ts'
import { requireJson } from '../../../net/reply-json.ts'
import type { JobContext } from '../../job-context.ts'
import { reach } from '../../reach/reach.ts'
import { at, type Json, number, objects, text } from '../../reading.ts'
import { Refused } from '../ci-replies.ts'
import { pollName } from './follow-up.ts'
import { JenkinsServer, jobPathOf } from './server.ts'

const STARTING = 'starting'

/** Starts the job of a requested build. */
export async function startJenkins(
  outside: JobContext,
  { account_id, build_run_id }: Jobs['start_jenkins'],
  signal?: AbortSignal,
) {
  const { db, vault, allowed } = outside
  const build = await subjects.build(db, { account_id, id: build_run_id })
  // A report may have arrived already: then somebody else started it.
  if (!build?.config.server || build.status !== 'queued' || build.build_number !== '') return
  const config = await reach({ db, vault, allowed, signal }, build, { job: build.ci_job_name })
  const server = new JenkinsServer(config, allowed, signal)
  const path = jobPathOf(build.ci_job_name)
  const job = await server.json(path, 'queueItem[id],builds[number,url,timestamp]{0,5},property[parameterDefinitions[name]]')

  // An interrupted attempt may have been received; Jenkins knows.
  if (build.phase === STARTING) {
    const item = number(at(job, 'queueItem', 'id'))
    if (item !== undefined) return follow(db, build, { account_id, build_run_id, queue_item: item, looks: 0 })
    const first = objects(job.builds).findLast(({ timestamp }) => (number(timestamp) ?? 0) >= Date.parse(build.created_at))
    if (first) return db.transaction((db) => begun(db, build, build_run_id, first))
  }
  await db.transaction((db) => builds.report(db, build, { build: { build_run_id }, existing: true, phase: STARTING }))
  const names = parametersOf(job)
  if (build.kind === 'bisect' && !names.some((name) => revisionFor(name.toLowerCase(), build) !== ''))
    throw new Refused(withoutRevision(build))
  const { headers } =
    names.length > 0
      ? await server.post(`${path}buildWithParameters`, valuesFor(names, build))
      : await server.post(`${path}build`)
  const item = /\/queue\/item\/(\d+)\/?$/.exec(headers.location ?? '')?.[1]
  if (item !== undefined) await follow(db, build, { account_id, build_run_id, queue_item: Number(item), looks: 0 })
}

/** Polls its item in the Jenkins queue, with growing delays. */
const follow = (db: Database, build: subjects.BuildSubject, job: Jobs['follow_jenkins']) =>
  enqueue(db, 'follow_jenkins', job, {
    ...asking(build),
    name: `follow_jenkins:${job.build_run_id}`,
    delay: Math.min(60, 2 * 1.5 ** job.looks),
  })

/** It has a number now and can be polled. Undefined: Jenkins does not report which. */
async function begun(db: Database, build: subjects.BuildSubject, build_run_id: number, run: unknown) {
  const [run_number, url] = [number(at(run, 'number')), text(at(run, 'url'))]
  if (run_number === undefined || url === undefined) return undefined
  const reported = {
    build: { build_run_id, number: String(run_number) },
    existing: true as const,
    status: 'building' as const,
    url,
  }
  // Jenkins may have reported the number before, without the change that is built.
  if (build.kind === 'bisect') {
    const named = { job: build.ci_job_name, number: String(run_number) }
    await builds.report(db, build, { build: named, existing: true, build_kind: 'bisect' })
  }
  await builds.report(db, build, reported)
  return enqueue(
    db,
    'poll_jenkins',
    { account_id: build.account_id, build_run_id, offset: 0, looks: 0 },
    { ...asking(build), name: pollName(build_run_id) },
  )
}

/** The names of the parameters that a job declares. */
export const parametersOf = (job: Json): string[] =>
  objects(job.property)
    .flatMap((property) => objects(at(property, 'parameterDefinitions')))
    .flatMap((parameter) => text(parameter.name) ?? [])

/** Parameter names for the revision to build. */
const COMMIT = ['commit', 'commit_hash', 'commit_sha', 'git_commit', 'sha', 'sha1', 'revision']
const CHANGELIST = ['changelist', 'change_list', 'p4_changelist', 'p4_change', 'p4cl', 'cl']
const BRANCH = ['branch', 'branch_name', 'git_branch']
/** A job that declares it reports a bisecting build as such. */
const BISECT = 'bisect'

type Revision = Pick<subjects.BuildSubject, 'kind' | 'commit_hash' | 'changelist' | 'branch'>

/** The revision to build, if a parameter of this name in lower case takes one. */
function revisionFor(name: string, { commit_hash, changelist }: Revision): string {
  if (COMMIT.includes(name)) return commit_hash
  return CHANGELIST.includes(name) ? changelist : ''
}

const withoutRevision = ({ ci_job_name, changelist }: subjects.BuildSubject) =>
  `The Jenkins job ${ci_job_name} has no parameter for the change to build. Add one, such as ${changelist ? 'CHANGELIST' : 'COMMIT'}.`

export function valuesFor(names: string[], build: Revision): Record<string, string> {
  const value = (name: string) => {
    if (name === BISECT) return build.kind === 'bisect' ? 'true' : ''
    if (revisionFor(name, build) !== '') return revisionFor(name, build)
    return BRANCH.includes(name) ? build.branch : ''
  }
  return Object.fromEntries(names.map((name) => [name, value(name.toLowerCase())] as const).filter(([, given]) => given !== ''))
}

/** Jenkins keeps items that left its queue for five minutes; the queue itself may be long. */
const LOOKS = 500

/** Polls the queue until the build has a number and can be polled itself. */
export async function followJenkins(
  outside: JobContext,
  { account_id, build_run_id, queue_item, looks }: Jobs['follow_jenkins'],
  signal?: AbortSignal,
) {
  const { db, vault, allowed } = outside
  const build = await subjects.build(db, { account_id, id: build_run_id })
  if (!build?.config.server || build.build_number !== '') return
  const config = await reach({ db, vault, allowed, signal }, build, { job: build.ci_job_name })
  const server = new JenkinsServer(config, allowed, signal)
  const found = await server.find(`queue/item/${queue_item}/api/json`)
  if (found === undefined) return
  const item: unknown = requireJson(found.body, 'Jenkins')
  await db.transaction(async (db) => {
    if (at(item, 'cancelled') === true)
      await builds.report(db, build, { build: { build_run_id }, existing: true, status: 'cancelled' })
    else if ((await begun(db, build, build_run_id, at(item, 'executable'))) === undefined && looks < LOOKS)
      await follow(db, build, { account_id, build_run_id, queue_item, looks: looks + 1 })
  })
}
