import type { BisectionVerdict } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { priorOf, type Search } from '../../diagnosis/bisection/bisection.ts'

interface Stored {
  suspects: { change_id: number; score: number }[]
  failures: number
  trials: { change_id: number; verdict: BisectionVerdict }[]
}

/** The changes of a bisection, oldest first, and what its builds have shown so far. */
export async function searchOf(db: Database, { account_id, id }: RecordKey): Promise<Search & { changes: number[] }> {
  const { suspects, failures, trials } = (await db.one<Stored>(sql`
    select s.suspects, s.failures, coalesce((
      select json_agg(json_build_object('change_id', t.change_id, 'verdict', t.verdict) order by t.number) from bisection_builds t
      where t.account_id = s.account_id and t.bisection_id = s.id and t.verdict is not null), '[]') as trials
    from bisections s where s.account_id = ${account_id} and s.id = ${id}`))!
  const changes = suspects.map(({ change_id }) => change_id)
  return {
    changes,
    failures,
    prior: priorOf(suspects.map(({ score }) => score)),
    trials: trials.map(({ change_id, verdict }) => ({ index: changes.indexOf(change_id), verdict })),
  }
}
