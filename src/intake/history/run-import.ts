import type { ImportPart } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { eachRow } from '../../domain/accounts/isolation.ts'
import { unknownAmong } from '../../domain/changes/imported.ts'
import { asking, type IntegrationContext } from '../../domain/integrations/context.ts'
import { type KnownReply, keep } from '../../domain/integrations/etags.ts'
import * as imports from '../../domain/integrations/imports.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import { OverBudget, within } from '../../net/budget.ts'
import { applyAll } from '../apply.ts'
import { type BuildFact, type Fact, isChange } from '../facts.ts'
import type { JobContext } from '../job-context.ts'
import type { Provider } from '../provider.ts'
import { Refused } from '../providers/ci-replies.ts'
import { providers } from '../providers/index.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { BY_SETTINGS, reach } from '../reach/reach.ts'
import { type Json, number, object } from '../reading.ts'
import { ask, jobsFor, Limited, Missing, readAbout, withDetails } from './ask.ts'
import { readFiles } from './changed-files.ts'
import { conditional } from './conditional.ts'
import { type Asked, type HistoryPage, type HistoryPart, type HistoryRequest, jobAfter, jobOf } from './history.ts'

/** A page that was read, and what comes after it. */
interface Read {
  facts: Fact[]
  about: Json
  /** Undefined: the part is over. */
  next: Json | undefined
  isOtherBranch?: boolean
  wait: number
  /** How many were read; 1 if absent. */
  pages?: number
  /** Stored with the page. */
  replies?: KnownReply[]
}

/** Far more than a year of a large studio, whose changes have a page of files each. A server whose pages never end is given up. */
const PAGES_MAX = 200_000

/** A page with its details, which are in memory together. */
const PAGE = { bytes: 32 * 1024 * 1024, values: 300_000, pages: 500, seconds: 600 }

/** A server that lists more than twenty times what it was asked for would have its records kept in memory and written at once. */
const FACTS_MAX = 2_000

/** Reads one page of an import and stores it with its cursor, in one transaction; a second reading of the same page has no effect. */
export async function readImport(context: JobContext, { account_id, import_id }: Jobs['read_import'], signal?: AbortSignal) {
  const { db } = context
  const key = { account_id, id: import_id }
  const running = await imports.running(db, key)
  if (!running?.part) return
  const integration = await subjects.integration(db, { account_id, id: running.integration_id })
  const provider = integration && providers[integration.provider]
  const part = provider?.history?.parts.find(({ name }) => name === running.part)
  if (!integration?.config.server || !part) return imports.fail(db, key, 'The integration is disabled or its server was removed.')
  if (running.pages >= PAGES_MAX) return imports.fail(db, key, `${provider!.label} lists more than ${PAGES_MAX} pages.`)
  const again = { ...asking(integration), name: imports.jobName(import_id) }
  try {
    const read = await within(PAGE, () => readPage(context, { running, integration, provider: provider!, part }, signal))
    const isOver = await db.transaction((db) => store(db, { running, integration, part, provider: provider! }, read, again))
    if (isOver) await imports.forgetEmpty(db, key)
  } catch (error) {
    if (error instanceof PartRefused) return skip(db, { running, provider: provider!, part }, error, again)
    if (error instanceof Refused || error instanceof OverBudget) return imports.fail(db, key, error.message)
    if (!(error instanceof Limited)) throw error
    await db.transaction(async (db) => {
      await imports.wait(db, key, error.seconds)
      await enqueue(db, 'read_import', { account_id, import_id }, { ...again, delay: error.seconds })
    })
  }
}

/** The token may read other parts. */
class PartRefused extends Refused {
  readonly about: Json

  constructor({ message, status }: Refused, about: Json) {
    super(message, status)
    this.about = about
  }
}

const DENIED: ReadonlySet<number | undefined> = new Set([401, 403, 404])

/** Goes on with the next part. An import of which nothing could be read has failed. */
async function skip(
  db: Database,
  { running, provider, part }: Pick<Reading, 'running' | 'provider' | 'part'>,
  { message, about }: PartRefused,
  again: { account_id: number; server: string; name: string },
) {
  const following = partAfter(provider, part)
  const note = `No ${part.name}: ${message}`
  const { parts } = provider.history!
  // Without changes there are no files to ask for.
  const isRest = parts.slice(parts.indexOf(part) + 1).every(({ ofChanges }) => ofChanges)
  await db.transaction(async (db) => {
    const now = await imports.running(db, running, sql`for update`)
    if (now?.pages !== running.pages) return
    if (!now.has_read && isRest) return imports.fail(db, running, [now.message, note].filter(Boolean).join(' '))
    await imports.advance(db, running, { next: { part: following, cursor: { about } }, note })
    const { account_id, id: import_id } = running
    if (following !== null) await enqueue(db, 'read_import', { account_id, import_id }, again)
  })
  await imports.forgetEmpty(db, running)
}

interface Reading {
  running: imports.Running
  integration: IntegrationContext
  provider: Provider
  part: HistoryPart
}

async function readPage(context: JobContext, reading: Reading, signal?: AbortSignal): Promise<Read> {
  const { db, vault, allowed } = context
  const { running, integration, provider, part } = reading
  const config = await reach({ db, vault, allowed, signal }, integration, BY_SETTINGS)
  const { transport } = abilitiesOf(provider.name)
  const send = (request: HistoryRequest) => ask({ ...provider, transport }, request, { config, allowed, signal })
  const jobs = await jobsFor(db, provider, integration)
  const known = object(running.cursor.about)
  if (!known) await transport?.prepare(context, integration, config, signal)
  const about = known ?? (await readAbout(provider, { config, jobs }, send))
  const cursor = object(running.cursor.place) ?? {}
  const asked: Asked = { cursor, since: running.since, until: running.until, config, about, jobs }
  if (part.ofChanges) return { about, ...(await readFiles(db, reading, asked, send)) }
  const nightly = running.nightly && provider.history!.conditional ? await conditional(db, integration, send) : undefined
  const request = part.page(asked)
  // A page may stay the same while its details change.
  const answered = await (part.details ? send : (nightly?.send ?? send))(request).catch((error: unknown) => {
    // One of several jobs was renamed or deleted.
    if (part.ofJobs && error instanceof Missing) return undefined
    if (error instanceof Refused && DENIED.has(error.status)) throw new PartRefused(error, about)
    throw error
  })
  if (!answered) return { facts: [], about, next: jobAfter(jobOf(asked), jobs), wait: 0 }
  const { wait, isUnchanged, ...reply } = await withDetails(part, asked, answered, nightly?.send ?? send)
  const page: HistoryPage = isUnchanged ? { facts: [], ...nightly!.after(request) } : part.read(reply, asked)
  const { facts, next, isOtherBranch = false, wait: more = 0 } = page
  if (facts.length > FACTS_MAX) throw new Refused(`${provider.label} lists more than ${FACTS_MAX} records on one page.`)
  return { facts, about, next, isOtherBranch, wait: Math.max(wait, more), replies: nightly?.replies(request, next) ?? [] }
}

/**
 * Other accounts go first: after each page an import rests for so many times as long as storing it took, for each import that its account
 * runs, but not longer than this.
 */
const REST_TIMES = 3
const REST_SECONDS_MAX = 5

/** Whether the import is over. */
async function store(
  db: Database,
  { running, integration, part, provider }: Reading,
  { facts, about, next, isOtherBranch, wait, pages = 1, replies = [] }: Read,
  again: { account_id: number; server: string; name: string },
): Promise<boolean> {
  const now = await imports.running(db, running, sql`for update`)
  if (now?.pages !== running.pages) return false
  const began = performance.now()
  const { below, added } = await record(db, { running, integration, part }, facts)
  if (replies.length > 0) await keep(db, { ...integration, id: integration.integration_id }, replies)
  const following = next === undefined ? partAfter(provider, part) : part.name
  const place = next === undefined ? undefined : { ...next, ...(below !== undefined && !isOtherBranch && { below }) }
  await imports.advance(db, running, {
    part: part.name,
    pages: Math.max(1, pages),
    read: recordsIn(facts),
    added,
    next: { part: following, cursor: { about, ...(place && { place }) } },
  })
  if (following === null) return true
  if (wait > 0) await imports.wait(db, running, wait)
  const { account_id, id: import_id } = running
  const rests = REST_TIMES * (await imports.runningTogether(db, account_id))
  const rest = Math.min(REST_SECONDS_MAX, (rests * (performance.now() - began)) / 1000)
  await enqueue(db, 'read_import', { account_id, import_id }, { ...again, delay: Math.max(wait, rest) })
  return false
}

/** Several facts may be about one deployment. */
const recordsIn = (facts: readonly Fact[]) =>
  new Set(facts.map((fact, index) => (fact.kind === 'deployment' ? `${fact.platform} ${fact.key}` : index))).size

function partAfter({ history }: Provider, part: HistoryPart): ImportPart | null {
  const parts = history!.parts
  return parts[parts.indexOf(part) + 1]?.name ?? null
}

const ENDED: ReadonlySet<BuildFact['status']> = new Set(['completed', 'failed', 'cancelled', 'passed_pending_approval'])
/** Of a build that doesn't say when it ended, the time of the import would be shown. */
const isEnded = (fact: Fact): fact is BuildFact =>
  fact.kind === 'build' && ENDED.has(fact.status) && (fact.finished_at ?? fact.at) !== undefined

/** How recent a build must be so that a nightly check treats it as if its tool had reported it. */
const NEWS_MS = 86_400_000

/** Writes the facts of a page. A build that still runs is left to the tool's own reports. */
async function record(
  db: Database,
  { running, integration, part }: Pick<Reading, 'running' | 'integration' | 'part'>,
  facts: readonly Fact[],
): Promise<{ below: number | undefined; added: number }> {
  const history: IntegrationContext = { ...integration, import_id: running.id }
  const builds = facts.filter(isEnded)
  const isNews = ({ finished_at, at }: BuildFact) => running.nightly && Date.parse(finished_at ?? at ?? '') > Date.now() - NEWS_MS
  // First: what an import stores afterwards is quiet until the end of the transaction.
  const reported = await applyAll(db, integration, await unfinished(db, integration, builds.filter(isNews)))
  const changes = facts.filter(isChange)
  const known = object(running.cursor.place)?.below
  const placed = part.ofChanges ? { changes, below: undefined } : await unknownAmong(db, history, changes, number(known))
  const quiet = [
    ...placed.changes,
    ...builds.filter((build) => !isNews(build)),
    ...facts.filter(({ kind }) => kind === 'deployment' || kind === 'reference'),
  ]
  const stored = await applyAll(
    db,
    history,
    quiet.map((fact) => [fact]),
  )
  const added = [...reported, ...stored].filter(({ outcome }) => outcome === 'processed').flatMap(({ records }) => records)
  return { below: placed.below, added: new Set(added.map(({ type, id }) => `${type} ${id}`)).size }
}

/** Those whose end is not known yet. */
async function unfinished(
  db: Database,
  { account_id, integration_id }: IntegrationContext,
  builds: BuildFact[],
): Promise<Fact[][]> {
  if (builds.length === 0) return []
  const over = await db.rows<{ external_id: string | null; name: string }>(sql`
    select external_id, ci_job_name || ' ' || build_number as name from build_runs
    where account_id = ${account_id} and integration_id = ${integration_id} and status in ('completed', 'failed', 'cancelled', 'passed_pending_approval')
      and (external_id = any (${builds.map(({ build }) => build.external_id ?? '')})
        or build_number = any (${builds.map(({ build }) => build.number ?? '')}) and build_number <> '')`)
  const isOver = ({ build }: BuildFact) =>
    over.some(({ external_id, name }) =>
      build.external_id !== undefined ? external_id === build.external_id : name === `${build.job ?? ''} ${build.number ?? ''}`,
    )
  return builds.filter((build) => !isOver(build)).map((build) => [build])
}

/** Imports whose job was given up, because their server was silent for long, are read on. */
export async function resumeImports(db: Database) {
  const silent = await db.rows<RecordKey & { integration_id: number }>(sql`
    select account_id, id, integration_id from imports where state = 'running' and updated_at < now() - interval '5 minutes'`)
  await eachRow(db, 'resume_imports', silent, async ({ account_id, id, integration_id }) => {
    // By itself: on several servers the jobs are elsewhere.
    const job = await db.one(sql`
      select from jobs where account_id = ${account_id} and name = ${imports.jobName(id)} and state in ('scheduled', 'waiting', 'running')`)
    if (job) return
    const integration = await subjects.integration(db, { account_id, id: integration_id })
    if (!integration) await imports.fail(db, { account_id, id }, 'The integration is disabled or deleted.')
    else await enqueue(db, 'read_import', { account_id, import_id: id }, { ...asking(integration), name: imports.jobName(id) })
  })
}
