import { type BreakageState, type ProviderName, STARTABLE_PROVIDERS } from '../../../contract/sets.ts'
import { type Database, sql } from '../../../db/database.ts'
import type { ProjectKey } from '../../../db/project-key.ts'
import type { Suspect } from '../evidence.ts'

/** What decides whether a bisection of a breakage can be started. */
interface Subject {
  id: number
  state: BreakageState
  flaky: boolean
  branch: string | null
  occurrence: number
  suspects: Suspect[]
  is_named: boolean
  above: number | null
  up_to: number | null
  failures: number
  job: string | null
  told_branch: string
  integration_id: number | null
  provider: ProviderName | null
  has_server: boolean
  per_day: number
  is_running: boolean
}

const position = (column: 'last_good_change_id' | 'first_bad_change_id') => sql`(
  select p.position from change_branches p where p.account_id = k.account_id and p.project_id = k.project_id and p.branch = k.branch
    and p.change_id = ${column === 'last_good_change_id' ? sql`k.last_good_change_id` : sql`k.first_bad_change_id`} limit 1)`

export const subjectOf = (db: Database, { account_id, project_id }: ProjectKey, id: number | undefined) =>
  db.one<Subject>(sql`
    select k.id, k.state, k.flaky, k.branch, k.occurrence, k.suspects, named_suspect(k.suspects) is not null as is_named,
      ${position('last_good_change_id')} as above, ${position('first_bad_change_id')} as up_to, b.ci_job_name as job,
      coalesce(b.branch, '') as told_branch, i.id as integration_id, i.provider, coalesce(i.config ->> 'server', '') <> '' as has_server,
      p.bisect_builds_per_day as per_day,
      (select count(*)::integer from breakage_builds m where m.account_id = k.account_id and m.breakage_id = k.id and m.occurrence = k.occurrence
        and not m.downstream) as failures,
      exists (select from bisections s where s.account_id = k.account_id and s.breakage_id = k.id and s.status = 'running') as is_running
    from breakages k join projects p on p.account_id = k.account_id and p.id = k.project_id
    left join build_runs b on b.account_id = k.account_id and b.id = k.first_build_run_id
    left join integrations i on i.account_id = b.account_id and i.id = b.integration_id and i.active
    where k.account_id = ${account_id} and k.project_id = ${project_id} and k.id = ${id ?? 0}`)

/** Why no bisection can be started, in a sentence; null if one can. */
export function refusalOf(subject: Subject): string | null {
  const { state, flaky, branch, is_named, above, up_to, job, provider, has_server, per_day } = subject
  if (state === 'fixed' || state === 'withdrawn') return 'The breakage is over.'
  if (per_day === 0) return 'Bisections are off. A lead of the project can allow builds per day in the project settings.'
  if (branch === null || flaky) return 'No change is the cause: the breakage is flaky or an infrastructure failure.'
  if (is_named) return 'A change is already named as the cause.'
  if (above === null || up_to === null || up_to <= above)
    return 'The range is unknown: the job has not passed before on this branch.'
  if (job === null || provider === null || !(STARTABLE_PROVIDERS as readonly ProviderName[]).includes(provider))
    return 'The CI of this job cannot be asked to start builds.'
  return has_server ? null : 'The integration of this job has no server. Enter its URL and a token in the integration settings.'
}
