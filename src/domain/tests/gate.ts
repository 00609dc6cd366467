import type { TestGateSettings } from '../../contract/app/shapes.ts'
import type { TestGate } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { matcherOf } from '../branches/branch-names.ts'
import { PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { scheduleBreakageCheck, scheduleInvestigation, WANTED } from '../builds/follow-up-jobs.ts'
import { relinkToAll } from '../deployments/build-link.ts'
import { scheduleWriteBack } from '../integrations/write-backs.ts'
import { IN_QUARANTINE } from './quarantine.ts'

/** Jobs that run tests by their name. */
const TESTS_BY_NAME = /(?:^|[^a-z])(?:auto)?(?:tests?|testing|specs?|qa)(?![a-z])|[a-z](?:Tests?|Specs?)(?![a-z])/
const isCalledTests = (job: string) => TESTS_BY_NAME.test(job) || TESTS_BY_NAME.test(job.toLowerCase())
/** A job that reports results of so many of its newest builds runs tests. */
const BUILDS = 10
const WITH_REPORTS = 9

/** The gate of a job: that of its pattern, then the project's. Until somebody chose one, failing tests count in jobs that run tests. */
const gateOf = ({ fails_on, jobs }: TestGateSettings, job: string, runsTests: boolean): TestGate =>
  jobs.find(({ pattern }) => matcherOf(pattern.toLowerCase())(job.toLowerCase()))?.fails_on ??
  fails_on ??
  (runsTests || isCalledTests(job) ? 'failures' : 'crashes')

interface Judged {
  account_id: number
  id: number
  job: string
  status: string
  verdict: 'passed' | 'failed' | null
  settings: TestGateSettings
  runs_tests: boolean
  failing: number
  crashed: number
  quarantined: number
  is_wanted: boolean
  is_recent: boolean
}

/** A failure older than this is not investigated when a setting changes. */
const RECENT = sql`interval '1 day'`

/**
 * Stores what the test results of builds say of them where their CI says otherwise: a passed build fails by the gate of its job. `which`:
 * a condition on builds `b`. Breakages follow.
 */
export async function judgeVerdicts(db: Database, { account_id, project_id }: ProjectKey, which: Sql): Promise<void> {
  const builds = await db.rows<Judged>(sql`
    select b.account_id, b.id, b.ci_job_name as job, b.status, b.tests_verdict as verdict, p.test_gate as settings,
      f.failing, f.crashed, f.quarantined, ${WANTED} and b.import_id is null as is_wanted,
      b.created_at > goldmaster_now() - ${RECENT} as is_recent,
      (select count(*) filter (where n.has_tests) >= ${WITH_REPORTS} from (
        select exists (select from test_builds o where o.account_id = n.account_id and o.build_run_id = n.id) as has_tests
        from build_runs n where n.account_id = b.account_id and n.project_id = b.project_id and n.ci_job_name = b.ci_job_name
          and n.status in ${PASSED_OR_FAILED} order by n.created_at desc, n.id desc limit ${BUILDS}) n) as runs_tests
    from build_runs b
    join projects p on p.account_id = b.account_id and p.id = b.project_id join accounts a on a.id = b.account_id
    join test_builds t on t.account_id = b.account_id and t.build_run_id = b.id
    cross join lateral (
      select count(*) filter (where q.test_case_id is null)::integer as failing,
        count(*) filter (where q.test_case_id is null and f.crashed)::integer as crashed,
        count(*) filter (where q.test_case_id is not null)::integer as quarantined
      from test_failures f
      left join test_quarantines q on q.account_id = f.account_id and q.test_case_id = f.test_case_id and ${IN_QUARANTINE}
      where f.account_id = t.account_id and f.test_build_id = t.id and f.outcome in ('failed', 'error')) f
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.status in ${PASSED_OR_FAILED} and ${which} order by b.id`)
  for (const build of builds) {
    const verdict = verdictOf(build)
    if (verdict !== build.verdict) await storeVerdict(db, build, verdict, build.is_wanted && build.is_recent)
  }
}

function verdictOf({ settings, job, status, verdict, runs_tests, failing, crashed, quarantined, is_wanted }: Judged) {
  // Whether the log names another cause than the tests is known to the investigation, if there is one.
  if (status === 'failed') return failing > 0 || quarantined === 0 ? null : is_wanted ? verdict : 'passed'
  const gate = gateOf(settings, job, runs_tests)
  return (gate === 'failures' && failing > 0) || (gate !== 'off' && crashed > 0) ? 'failed' : null
}

/** Stores what a build counts as, if that is not what its CI says. */
export async function storeVerdict(
  db: Database,
  { account_id, id }: { account_id: number; id: number },
  verdict: 'passed' | 'failed' | null,
  investigates = false,
): Promise<void> {
  const stored = await db.one<{ project_id: number; verdict: string }>(sql`
    update build_runs set tests_verdict = ${verdict} where account_id = ${account_id} and id = ${id} and tests_verdict is distinct from ${verdict}
    returning project_id, verdict`)
  if (!stored) return
  await scheduleWriteBack(db, { account_id, id })
  await scheduleBreakageCheck(db, { account_id, id })
  await relinkToAll(db, { account_id, project_id: stored.project_id }, [{ id, hasArtifacts: false }])
  if (stored.verdict === 'failed' && investigates) await scheduleInvestigation(db, { account_id, id })
}

/** After the settings of a project changed: the builds whose results are kept. */
export const judgeAllVerdicts = (db: Database, project: ProjectKey) => judgeVerdicts(db, project, sql`true`)

/** Builds in which a test failed, after it was quarantined. */
export const judgeVerdictsOfTest = (db: Database, project: ProjectKey, testCaseId: number) =>
  judgeVerdicts(
    db,
    project,
    sql`t.id in (
      select f.test_build_id from test_failures f where f.account_id = ${project.account_id} and f.test_case_id = ${testCaseId})`,
  )
