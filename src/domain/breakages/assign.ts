import type { BuildKind } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { isAttributable } from '../../diagnosis/suspects/kinds.ts'
import { buildsNumbered, idsNamed, nameOf } from '../branches/build-names.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { scheduleVerdicts } from '../integrations/write-backs.ts'
import { note } from './history.ts'
import { JOB, labelOf } from './label.ts'
import { recompute } from './recompute.ts'

/** A failed build and its finding. */
interface Failure extends ProjectKey {
  build_run_id: number
  ci_job_name: string
  job: string
  /** Empty if unknown. */
  branch: string
  kind: BuildKind
  began_at: string
  /** Ids of the failed tests that are the cause. */
  tests: readonly string[]
}

/** The same cause within this time reopens the breakage. */
const REOPENS_WITHIN = sql`interval '14 days'`

/** Adds a failed build to the breakage of its cause, or opens one. Needs the lock of the project's breakages. */
export async function assignToBreakage(db: Database, failure: Failure, finding: Finding, hasEvidence: boolean) {
  const { account_id, build_run_id } = failure
  const before = await db.one<{ breakage_id: number }>(sql`
    select breakage_id from breakage_builds where account_id = ${account_id} and build_run_id = ${build_run_id}`)
  const cause = causeOf(failure, finding, hasEvidence)
  const above = isNamed(cause) ? undefined : await breakageAbove(db, { account_id, id: build_run_id })
  const found = above ?? (await known(db, failure, cause))
  // A bisecting build narrows the range of a known breakage and opens none.
  if (found === undefined && failure.kind === 'bisect') return
  const id = found ?? (await open(db, failure, cause, finding))
  if (above === undefined) await remember(db, { account_id, id }, cause)
  await db.execute(sql`
    insert into breakage_builds (account_id, breakage_id, build_run_id, downstream, test_case_ids, joined_at)
    values (${account_id}, ${id}, ${build_run_id}, ${above !== undefined}, ${failure.tests}::bigint[], goldmaster_now())
    on conflict (account_id, build_run_id) do update set breakage_id = excluded.breakage_id, downstream = excluded.downstream,
      test_case_ids = excluded.test_case_ids,
      joined_at = case when breakage_builds.breakage_id = excluded.breakage_id then breakage_builds.joined_at else goldmaster_now() end`)
  const left = await adoptDownstream(db, { account_id, id }, build_run_id)
  await recompute(db, { account_id, id })
  if (found === undefined) await scheduleVerdicts(db, { account_id, id })
  for (const one of left) await recompute(db, { account_id, id: one }, id)
  if (before && before.breakage_id !== id) await recompute(db, { account_id, id: before.breakage_id }, id)
}

/** Removes a failed build from its breakage: what failed in it does not count. Needs the lock of the project's breakages. */
export async function leaveBreakage(db: Database, { account_id, build_run_id }: Pick<Failure, 'account_id' | 'build_run_id'>) {
  const left = await db.one<{ id: number }>(sql`
    delete from breakage_builds where account_id = ${account_id} and build_run_id = ${build_run_id} returning breakage_id as id`)
  if (left) await recompute(db, { account_id, id: left.id })
}

interface Cause extends Partial<Pick<Finding, 'cause_keys' | 'joins_keys' | 'former_keys'>> {
  fingerprint: string
  /** Null: infrastructure failures are independent of the branch. */
  branch: string | null
}

const isNamed = ({ fingerprint }: Cause) => !fingerprint.startsWith(JOB)

/** The project of the build `b`. */
const OF_BUILD = { account_id: sql`b.account_id`, project_id: sql`b.project_id` }

/** The breakage of the failed upstream build: this one has no other cause. */
const breakageAbove = async (db: Database, build: RecordKey) =>
  (
    await db.one<{ id: number }>(sql`
      select m.breakage_id as id from build_runs b
      cross join lateral ${buildsNumbered(OF_BUILD, sql`b.upstream_number`, sql`b.upstream_job`)} u
      join breakage_builds m on m.account_id = u.account_id and m.build_run_id = u.id and u.verdict = 'failed'
      where b.account_id = ${build.account_id} and b.id = ${build.id} and u.id <> b.id order by u.id desc limit 1`)
  )?.id

/** Downstream builds without another cause may have been investigated first: moves them here. Returns the breakages they leave. */
const adoptDownstream = async (db: Database, { account_id, id }: RecordKey, buildId: number) =>
  (
    await db.rows<{ former: number }>(sql`
      with below as (
        select m.account_id, m.build_run_id, m.breakage_id as former from build_runs b
        cross join lateral (${idsNamed(OF_BUILD, 'upstream', nameOf(sql`b.ci_job_name`, sql`b.build_number`))}) d
        join breakage_builds m on m.account_id = b.account_id and m.build_run_id = d.build_run_id and m.breakage_id <> ${id}
          and m.build_run_id <> b.id
        join breakages k on k.account_id = m.account_id and k.id = m.breakage_id and k.fingerprint like ${`${JOB}%`}
        where b.account_id = ${account_id} and b.id = ${buildId} and b.build_number <> ''),
      moved as (
        update breakage_builds m set breakage_id = ${id}, downstream = true, joined_at = goldmaster_now() from below
        where m.account_id = below.account_id and m.build_run_id = below.build_run_id)
      select distinct former from below`)
  ).map(({ former }) => former)

/** Without a finding, the job is the only clue. */
function causeOf(
  { job, branch }: Failure,
  { category, fingerprint, cause_keys, joins_keys, former_keys }: Finding,
  hasEvidence: boolean,
): Cause {
  if (!hasEvidence || category === 'unknown' || category === 'none') return { fingerprint: `${JOB}${job}`, branch }
  return { fingerprint, cause_keys, joins_keys, former_keys, branch: isAttributable(category) ? branch : null }
}

/** The newest breakage of this cause that had started by then, unless it was fixed too long ago; of a renamed test, that of its former name. */
const known = async (
  db: Database,
  { account_id, project_id, began_at }: Failure,
  { fingerprint, joins_keys = [], former_keys = [], branch }: Cause,
) => {
  const found = await db.one<{ id: number }>(sql`
    select id from breakages k
    where account_id = ${account_id} and project_id = ${project_id}
      and (fingerprint = ${fingerprint} or cause_keys && ${joins_keys}::text[]) and branch is not distinct from ${branch}
      and (${UNSETTLED} or exists (select from breakage_occurrences o where o.account_id = k.account_id and o.breakage_id = k.id
        and o.fixed_at > ${began_at}::timestamptz - ${REOPENS_WITHIN}))
    order by cause_keys && ${former_keys}::text[] desc, first_opened_at <= ${began_at}::timestamptz desc, abs(extract(epoch from first_opened_at - ${began_at}::timestamptz)), id desc
    limit 1`)
  return found?.id
}

const KEYS_MAX = 100

/** Adds the keys of a failure that joined: they recognize the error from another compiler, or after its line has moved. */
const remember = (db: Database, { account_id, id }: RecordKey, { cause_keys = [] }: Cause) =>
  db.execute(sql`
    with kept as (
      select k.id, (array(select key from unnest(${cause_keys}::text[]) key where key <> all (k.cause_keys)) || k.cause_keys)[:${KEYS_MAX}] as cause_keys
      from breakages k where k.account_id = ${account_id} and k.id = ${id} and not k.cause_keys @> ${cause_keys}::text[])
    update breakages k set cause_keys = kept.cause_keys from kept where k.account_id = ${account_id} and k.id = kept.id`)

async function open(db: Database, failure: Failure, { fingerprint, branch }: Cause, finding: Finding): Promise<number> {
  const { account_id, project_id, ci_job_name, began_at, build_run_id } = failure
  const { category, diagnosis } = labelOf({ fingerprint, branch }, finding)
  const { id } = (await db.one<{ id: number }>(sql`
    insert into breakages (account_id, project_id, fingerprint, branch, category, confidence, cause, jobs, build_count, first_build_run_id,
      last_build_run_id, opened_at, first_opened_at, last_seen_at)
    values (${account_id}, ${project_id}, ${fingerprint}, ${branch}, ${category}, ${finding.confidence}, ${diagnosis},
      ${[ci_job_name]}::text[], 1, ${build_run_id}, ${build_run_id}, ${began_at}, ${began_at}, ${began_at}) returning id`))!
  await note(db, { account_id, id }, 'opened', null, { job: ci_job_name })
  return id
}
