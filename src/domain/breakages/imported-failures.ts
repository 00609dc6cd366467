import { type Database, sql } from '../../db/database.ts'
import { BRANCH, positionOn } from '../branches/positions.ts'
import type { OnBranch } from './evidence.ts'
import type { Hit, Occurrence } from './judge.ts'

/** Of one job: the oldest decide. */
const READ_MAX = 200
/** Positions decide; an import has the CI's times, which only limit what is read. */
const CLOCKS = sql`interval '3 hours'`

/**
 * The occurrence from the first failure on that an import reported after the job's last pass. Imported failures open nothing and are not
 * investigated, but since then the job was not known to pass.
 */
export async function sinceImported(
  db: Database,
  breakage: OnBranch,
  hits: readonly Hit[],
  occurrence: Occurrence,
): Promise<Occurrence> {
  const { firstBad, lastGood, failures } = occurrence
  const { account_id, project_id, branch } = breakage
  if (branch === null || firstBad === null || (lastGood !== null && lastGood >= firstBad)) return occurrence
  const first = failures.find(({ position, bisect }) => position === firstBad && !bisect)
  if (!first) return occurrence
  const hit = hits.find((one) => one.failures.some(({ build_run_id }) => build_run_id === first.build_run_id))
  const pass = hit?.passes.find(({ position }) => position === lastGood)
  const imported = await db.one<{ position: number | null }>(sql`
    select min(x.position) filter (where x.position > ${lastGood ?? 0} and x.position < ${firstBad}) as position from (
      select ${positionOn(BRANCH)} as position from (
        select b.* from build_runs f join build_runs b on b.account_id = f.account_id and b.project_id = f.project_id and b.job = f.job
        where f.account_id = ${account_id} and f.id = ${first.build_run_id} and b.account_id = ${account_id} and b.project_id = ${project_id}
          and ${BRANCH} = ${branch} and b.kind = 'regular' and b.verdict = 'failed' and b.import_id is not null
          and b.created_at <= f.created_at + ${CLOCKS}
          and b.created_at >= coalesce((select p.created_at - ${CLOCKS} from build_runs p
            where p.account_id = ${account_id} and p.id = ${pass?.build_run_id ?? null}), '-infinity')
        order by b.created_at, b.id limit ${READ_MAX}) b) x`)
  const position = imported?.position ?? null
  return position === null ? occurrence : { ...occurrence, firstBad: position, isImported: true }
}
