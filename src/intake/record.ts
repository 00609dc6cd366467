import type { Database } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import * as assets from '../domain/assets/touch.ts'
import * as builds from '../domain/builds/report.ts'
import * as changes from '../domain/changes/submit.ts'
import * as deployments from '../domain/deployments/report.ts'
import type { Place } from '../domain/integrations/place.ts'
import { linkChanges, tasksNamed } from '../domain/tasks/links.ts'
import * as references from '../domain/tasks/references.ts'
import { type BuildFact, type ChangeFact, type Fact, isChange } from './facts.ts'
import { filterable } from './filterable.ts'
import { asking } from './outside.ts'
import { storable } from './storable.ts'

export interface Recorded {
  records: { type: string; id: number | string }[]
  outcome: 'processed' | 'stale' | 'ignored'
  warnings: string[]
}

/** Writes down what a tool said, all of it or nothing: the caller's transaction holds it together. */
export const record = async (db: Database, place: Place, told: readonly Fact[]): Promise<Recorded> =>
  (await recordAll(db, place, [told]))[0]!

/** The same for several deliveries of one integration, no two of which tell of the same change. */
export async function recordAll(db: Database, place: Place, told: readonly (readonly Fact[])[]): Promise<Recorded[]> {
  const deliveries = storable(told).map((facts) => facts.map(filterable))
  const recorded: Recorded[] = []
  const alone = deliveries.flat().length === 1
  for (const facts of deliveries) recorded.push(await recordOneByOne(db, place, facts, alone))
  // All at once: a push may bring thousands, and pushes may come in flocks.
  const ids = await recordChanges(db, place, firstTellings(deliveries.flat().filter(isChange)))
  return recorded.map(({ records, warnings, outcome }, index) => {
    const changes = [...new Set(deliveries[index]!.filter(isChange).map(({ identifier }) => ids.get(identifier)!))]
    const all = [...records, ...changes.toSorted((a, b) => a - b).map((id) => ({ type: 'change', id }))]
    return { records: all, warnings, outcome: outcome === 'ignored' && all.length > 0 ? 'processed' : outcome }
  })
}

/** Everything but changes. */
async function recordOneByOne(db: Database, place: Place, facts: readonly Fact[], alone: boolean): Promise<Recorded> {
  const records: Recorded['records'] = []
  const warnings: string[] = []
  let stale = false
  for (const fact of facts) {
    switch (fact.kind) {
      case 'change':
        break
      case 'orphan': {
        const orphaned = await changes.orphan(db, place.project_id, fact.source_type, fact.identifier)
        if (orphaned) records.push({ type: 'change', id: orphaned.id })
        break
      }
      case 'build': {
        const reported = await builds.report(db, place, fact, alone)
        if (reported) records.push({ type: 'build_run', id: reported.id })
        stale ||= reported?.effect === 'stale'
        if (reported?.effect === 'processed') await askJenkins(db, place, reported.id, fact)
        break
      }
      case 'deployment': {
        const { id } = await deployments.report(db, place, fact)
        records.push({ type: 'deployment', id })
        if (fact.warning) warnings.push(fact.warning)
        break
      }
      case 'reference': {
        const { id, effect } = await references.keep(db, place, fact)
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

/** A commit that stands twice in one delivery is one change, as it was told first; the order stays, it says which version is newest. */
function firstTellings(facts: ChangeFact[]): ChangeFact[] {
  const first = new Map<string, ChangeFact>()
  for (const fact of facts) if (!first.has(fact.identifier)) first.set(fact.identifier, fact)
  return [...first.values()]
}

/** The ids of changes by what their tool calls them. */
async function recordChanges(db: Database, place: Place, facts: ChangeFact[]): Promise<Map<string, number>> {
  if (facts.length === 0) return new Map()
  const rows = await changes.submit(db, place, facts)
  await assets.touch(db, place, facts, rows)
  const ids = new Map(rows.map((row) => [row.identifier, row.id]))
  await linkChanges(
    db,
    place.project_id,
    facts.flatMap((fact) => tasksNamed(fact.description).map((task_id) => ({ task_id, change_id: ids.get(fact.identifier)! }))),
  )
  for (const fact of facts)
    if (fact.incomplete && place.config.server)
      await enqueue(db, 'describe_changelist', { change_id: ids.get(fact.identifier)! }, asking(place))
  return ids
}

/** A Jenkins that is configured is asked for what its reports leave out. */
async function askJenkins(db: Database, place: Place, build_run_id: number, fact: BuildFact) {
  if (place.provider !== 'jenkins' || !place.config.server) return
  if (fact.start) await enqueue(db, 'start_jenkins', { build_run_id }, asking(place))
  else if (fact.url)
    await enqueue(
      db,
      'poll_jenkins',
      { build_run_id, offset: 0, looks: 0 },
      { ...asking(place), name: `poll_jenkins:${build_run_id}` },
    )
}
