import type { Database } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import { assetFiles } from '../domain/assets/changed-files.ts'
import * as lines from '../domain/branches/lines.ts'
import * as streamSettings from '../domain/branches/stream-settings.ts'
import { scheduleReviews } from '../domain/builds/follow-up-jobs.ts'
import * as builds from '../domain/builds/report.ts'
import * as changes from '../domain/changes/submit.ts'
import * as deployments from '../domain/deployments/report.ts'
import { asking, type IntegrationContext, isHistory } from '../domain/integrations/context.ts'
import { awaitFiles } from '../domain/previews/pending.ts'
import { linkChanges, tasksNamed } from '../domain/tasks/links.ts'
import * as references from '../domain/tasks/references.ts'
import { type BuildFact, type ChangeFact, type Fact, isChange } from './facts.ts'
import { fetchSoon } from './previews/fetch-soon.ts'
import { providers } from './providers/index.ts'
import { followUp } from './reach/follow-up.ts'
import { noteReported } from './reach/reach.ts'
import { scrubKeys } from './scrub-keys.ts'
import { stripNul } from './strip-nul.ts'

export interface Applied {
  records: { type: string; id: number | string }[]
  outcome: 'processed' | 'stale' | 'ignored'
  warnings: string[]
}

/** Writes a tool's report to the domain, all of it or nothing: in the caller's transaction. */
export const apply = async (db: Database, context: IntegrationContext, facts: readonly Fact[]): Promise<Applied> =>
  (await applyAll(db, context, [facts]))[0]!

/** One of the deliveries to apply took effect before. */
export class Repeated extends Error {}

/** Facts that PostgreSQL can store, with scrubbed keys. */
const cleaned = (facts: readonly Fact[]): Fact[] => stripNul(facts).map((fact) => scrubKeys(fact))

/** The same for several deliveries of one integration, no two of which report the same change. */
export async function applyAll(
  db: Database,
  context: IntegrationContext,
  reported: readonly (readonly Fact[])[],
): Promise<Applied[]> {
  const deliveries = reported.map(cleaned)
  await noteReported(db, context, deliveries.flat())
  const reports = singleReports(deliveries)
  if (reports) return applyReports(db, context, reports)
  const applied: Applied[] = []
  for (const facts of deliveries) applied.push(await applyOneByOne(db, context, facts))
  // All at once: a push may contain thousands, and pushes arrive in bursts.
  const { ids } = await applyChanges(db, context, deliveries.flat().filter(isChange))
  return applied.map(({ records, warnings, outcome }, index) => {
    const all = [...records, ...changeRecords(deliveries[index]!.filter(isChange), ids)]
    return { records: all, warnings, outcome: outcome === 'ignored' && all.length > 0 ? 'processed' : outcome }
  })
}

/** The same for deliveries with only changes, which `recordingOf` records in the same statement. Throws if that refuses. */
export async function applyPushes(
  db: Database,
  context: IntegrationContext,
  reported: readonly (readonly Fact[])[],
  recordingOf: (pushes: readonly (readonly ChangeFact[])[]) => changes.Recording,
): Promise<{ records: Applied['records'][]; receipts: changes.Receipt[] }> {
  const pushes = reported.map((facts) => cleaned(facts).filter(isChange))
  await noteReported(db, context, pushes.flat())
  const { ids, receipts } = await applyChanges(db, context, pushes.flat(), recordingOf(pushes))
  if (ids.size === 0) throw new Repeated()
  return { records: pushes.map((push) => changeRecords(push, ids)), receipts }
}

/** Whether deliveries report one build each, and no two the same one. */
function singleReports(deliveries: readonly (readonly Fact[])[]): BuildFact[] | undefined {
  const reports: BuildFact[] = []
  const names = new Set<string>()
  for (const facts of deliveries) {
    const [fact] = facts
    if (facts.length !== 1 || fact!.kind !== 'build') return undefined
    const own = builds.namesOf(fact!)
    if (deliveries.length > 1 && (own.length === 0 || own.some((name) => names.has(name)))) return undefined
    for (const name of own) names.add(name)
    reports.push(fact!)
  }
  return reports
}

/** Reports of different builds. */
async function applyReports(db: Database, context: IntegrationContext, reports: readonly BuildFact[]): Promise<Applied[]> {
  const reported = await builds.reportAll(db, context, reports)
  const applied: Applied[] = []
  for (const [index, fact] of reports.entries()) {
    const one = reported[index]
    if (one?.effect === 'processed') await followUp(db, context, fact, one.id)
    applied.push({
      records: one ? [{ type: 'build_run', id: one.id }] : [],
      warnings: [...(fact.warnings ?? [])],
      outcome: one?.effect ?? 'ignored',
    })
  }
  return applied
}

const changeRecords = (facts: readonly ChangeFact[], ids: Map<string, number>): Applied['records'] =>
  [...new Set(facts.map(({ identifier }) => ids.get(identifier)!))]
    .toSorted((a, b) => a - b)
    .map((id) => ({ type: 'change', id }))

/** Everything but changes. */
async function applyOneByOne(db: Database, context: IntegrationContext, facts: readonly Fact[]): Promise<Applied> {
  const records: Applied['records'] = []
  const warnings: string[] = []
  let stale = false
  for (const fact of facts) {
    switch (fact.kind) {
      case 'change':
        break
      case 'orphan': {
        const orphaned = await changes.orphan(db, context, fact)
        await scheduleReviews(db, context)
        if (orphaned) records.push({ type: 'change', id: orphaned.id })
        break
      }
      case 'branch_created':
        await lines.restore(db, context, fact)
        break
      case 'branch_deleted':
        if ((await lines.remove(db, context, fact)) !== null) await scheduleReviews(db, context)
        break
      case 'build': {
        const reported = await builds.report(db, context, fact)
        if (reported) records.push({ type: 'build_run', id: reported.id })
        stale ||= reported?.effect === 'stale'
        if (reported?.effect === 'processed') await followUp(db, context, fact, reported.id)
        warnings.push(...(fact.warnings ?? []))
        break
      }
      case 'deployment': {
        const reported = await deployments.report(db, context, fact)
        if ('id' in reported) {
          records.push({ type: 'deployment', id: reported.id })
          stale ||= reported.effect === 'stale'
        } else
          warnings.push(`Nothing was changed: this could be any of ${reported.several.join(', ')}. Send track or job_name too.`)
        warnings.push(...(fact.warnings ?? []))
        break
      }
      case 'reference': {
        const { id, effect } = await references.upsert(db, context, fact)
        records.push({ type: 'external_reference', id })
        stale ||= effect === 'stale'
        break
      }
      default:
        fact satisfies never
    }
  }
  return { records, warnings, outcome: stale ? 'stale' : records.length > 0 ? 'processed' : 'ignored' }
}

/**
 * A commit that occurs twice in one delivery is one change, as first reported; the order is kept, because it decides which version is
 * newest.
 */
function firstReports(facts: ChangeFact[]): ChangeFact[] {
  const first = new Map<string, ChangeFact>()
  for (const fact of facts) if (!first.has(fact.identifier)) first.set(fact.identifier, fact)
  return [...first.values()]
}

/** The ids of changes by the tool's identifiers; empty if `recording` refuses. */
async function applyChanges(
  db: Database,
  context: IntegrationContext,
  reported: ChangeFact[],
  recording?: changes.Recording,
): Promise<{ ids: Map<string, number>; receipts: changes.Receipt[] }> {
  const facts = firstReports(reported)
  if (facts.length === 0) return { ids: new Map(), receipts: [] }
  const { rows, receipts, has_unplaced } = await changes.submit(db, context, facts, recording)
  if (rows.length === 0) return { ids: new Map(), receipts }
  const ids = new Map(rows.map((row) => [row.identifier, row.id]))
  await linkChanges(
    db,
    context,
    facts.flatMap((fact) => tasksNamed(fact).map((task_id) => ({ task_id, change_id: ids.get(fact.identifier)! }))),
  )
  for (const fact of facts) await followUp(db, context, fact, ids.get(fact.identifier)!)
  await fetchFiles(db, context, facts, [...ids.values()])
  if (has_unplaced) await askForStreams(db, context)
  return { ids, receipts }
}

/** Previews of new versions, if the configured server gives files. Imports describe the past. */
async function fetchFiles(db: Database, context: IntegrationContext, facts: readonly ChangeFact[], ids: readonly number[]) {
  if (isHistory(context) || !context.config.server || !providers[context.provider].givesFiles) return
  const paths = facts.flatMap((fact) => assetFiles(fact).map(({ path }) => path))
  if (await awaitFiles(db, context, ids, paths)) await fetchSoon(db, context)
}

/** Asks the configured server for streams that may be new. An import has just done so. */
async function askForStreams(db: Database, context: IntegrationContext) {
  if (isHistory(context) || !context.config.server) return
  const asked = providers[context.provider].unplaced?.(context.integration_id, context.account_id)
  if (!asked) return
  const { job, seconds } = asked
  const delay = await streamSettings.waitFor(db, context.integration_id, seconds)
  await enqueue(db, job.kind, job.payload, { ...asking(context), name: job.name, delay })
}
