import type { Database } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import * as assets from '../domain/assets-touch.ts'
import * as builds from '../domain/builds-report.ts'
import * as changes from '../domain/changes-submit.ts'
import * as deployments from '../domain/deployments-report.ts'
import type { Place } from '../domain/place.ts'
import * as references from '../domain/references.ts'
import { linkChanges, tasksNamed } from '../domain/task-links.ts'
import type { BuildFact, ChangeFact, Fact } from './facts.ts'
import { storable } from './storable.ts'

export interface Recorded {
  records: { type: string; id: number | string }[]
  outcome: 'processed' | 'stale' | 'ignored'
  warnings: string[]
}

/** Writes down what a tool said, all of it or nothing: the caller's transaction holds it together. */
export async function record(db: Database, place: Place, told: readonly Fact[]): Promise<Recorded> {
  const facts = storable(told)
  const records: Recorded['records'] = []
  const warnings: string[] = []
  let stale = false
  for (const fact of facts) {
    switch (fact.kind) {
      case 'change':
        break // All at once below: a push may bring thousands.
      case 'orphan': {
        const orphaned = await changes.orphan(db, place.project_id, fact.source_type, fact.identifier)
        if (orphaned) records.push({ type: 'change', id: orphaned.id })
        break
      }
      case 'build': {
        const reported = await builds.report(db, place, fact)
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
  records.push(
    ...(await recordChanges(
      db,
      place,
      facts.filter((fact) => fact.kind === 'change'),
    )),
  )
  return { records, warnings, outcome: stale ? 'stale' : records.length > 0 ? 'processed' : 'ignored' }
}

async function recordChanges(db: Database, place: Place, facts: ChangeFact[]): Promise<Recorded['records']> {
  if (facts.length === 0) return []
  const rows = await changes.submit(db, place, facts)
  await assets.touch(db, place, facts, rows)
  const ids = new Map(rows.map((row) => [row.identifier, row.id]))
  await linkChanges(
    db,
    place.project_id,
    facts.flatMap((fact) => tasksNamed(fact.description).map((task_id) => ({ task_id, change_id: ids.get(fact.identifier)! }))),
  )
  for (const fact of facts)
    if (fact.incomplete && place.config.server) await enqueue(db, 'describe_changelist', { change_id: ids.get(fact.identifier)! })
  return rows.map((row) => ({ type: 'change', id: row.id }))
}

/** A Jenkins that is configured is asked for what its reports leave out. */
async function askJenkins(db: Database, place: Place, build_run_id: number, fact: BuildFact) {
  if (place.provider !== 'jenkins' || !place.config.server) return
  if (fact.start) await enqueue(db, 'start_jenkins', { build_run_id })
  else if (fact.url)
    await enqueue(db, 'poll_jenkins', { build_run_id, offset: 0, looks: 0 }, { name: `poll_jenkins:${build_run_id}` })
}
