import type { ReplyOf } from '../../contract/routes.ts'
import type { BuildStatus, FailureCategory } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import { showPreflight } from './preflight-verdict.ts'

/** Texts about builds that everyone who can read the repository sees. */

/** A home folder has the name of its person. */
const HOME = /(?:\b[A-Za-z]:)?[\\/](?:Users|home)[\\/][^\\/\s:'"]+/g

/** One line without addresses, credentials and home folders. */
export const publicText = (text: string): string => scrub(text.replace(/\s+/g, ' ').trim().replace(HOME, '~'))

/** The longest description that every tool takes. */
const DESCRIPTION_MAX = 140
const cut = (text: string) =>
  text.length <= DESCRIPTION_MAX
    ? text
    : `${text
        .slice(0, DESCRIPTION_MAX - 1)
        .toWellFormed()
        .trimEnd()}…`

interface Built extends ProjectKey {
  commit_hash: string
  job: string
}

interface Result {
  build_run_id: number
  state: 'passed' | 'failed' | 'canceled'
  description: string
}

/** The newest result of a job at a commit; undefined if there is none yet. */
export async function resultAt(db: Database, { account_id, project_id, commit_hash, job }: Built): Promise<Result | undefined> {
  const build = await db.one<{
    id: number
    status: BuildStatus
    verdict: 'passed' | 'failed' | null
    kind: string
    diagnosis: string | null
    category: FailureCategory | null
  }>(sql`
    select b.id, b.status, b.verdict, b.kind, i.diagnosis, i.category from build_runs b left join lateral (
      select i.diagnosis, i.category from investigations i
      where i.account_id = b.account_id and i.build_run_id = b.id and i.status = 'completed' order by i.id desc limit 1) i on true
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.commit_hash = ${commit_hash} and b.job = ${job}
      and b.kind <> 'bisect' and b.import_id is null and not b.held and b.status not in ('queued', 'preparing', 'building')
    order by b.id desc limit 1`)
  if (!build) return undefined
  const said = (state: Result['state'], text: string): Result => ({
    build_run_id: build.id,
    state,
    description: cut(publicText(text)),
  })
  if (build.verdict === 'passed')
    return said('passed', build.status === 'failed' ? 'Only tests in quarantine failed.' : 'The build passed.')
  if (build.status === 'cancelled') return said('canceled', 'The build was canceled.')
  if (build.kind === 'preflight') {
    const { jobs } = await showPreflight(db, { account_id, project_id }, { commit: commit_hash })
    const job = jobs.find(({ build_id }) => build_id === String(build.id))
    if (job?.verdict === 'failed_not_by_change') return said('failed', `Not by this change: ${job.reason}`)
  }
  const { category, diagnosis } = build
  if (category === null) return said('failed', 'The build failed. It is not investigated yet.')
  return said('failed', category === 'none' || category === 'unknown' || !diagnosis ? 'The build failed.' : diagnosis)
}

const VERDICTS = {
  passed: 'passed',
  failed_by_change: 'failed by this change',
  failed_not_by_change: 'failed, not by this change',
  unknown: 'no verdict',
} as const

/** In code no name is mentioned, no number becomes a link and nothing is markup. */
const code = (text: string) => `\`${publicText(text).replaceAll('`', "'")}\``

/** The verdict of each job for a commit of a pull request, as Markdown; undefined if a newer commit was built. */
export async function verdictText(
  db: Database,
  { account_id, project_id, commit_hash, pull_request }: ProjectKey & { commit_hash: string; pull_request: string },
  pageOf: (build: string) => string,
): Promise<string | undefined> {
  const { commit, verdict, jobs } = await showPreflight(db, { account_id, project_id }, { pull_request })
  return commit === commit_hash ? textOf(verdict, jobs, ` at ${code(commit.slice(0, 12))}`, pageOf) : undefined
}

interface ShelfVerdict {
  verdict: ReplyOf<'showPreflight'>['verdict']
  /** All builds have ended, and failed ones are investigated. */
  settled: boolean
  text: string
  /** The same, a line for each job, without markup. */
  lines: string[]
  /** The first build that decided. */
  build_id: string
  /** When the first of the builds began to count. */
  since: string
}

/** The verdict of each job for a shelf, as Markdown; undefined if it has no builds. */
export async function shelfVerdict(
  db: Database,
  project: ProjectKey,
  shelf: string,
  pageOf: (build: string) => string,
): Promise<ShelfVerdict | undefined> {
  const { verdict, settled, jobs } = await showPreflight(db, project, { shelf })
  const first = await db.one<{ since: string | null }>(sql`
    select min(created_at) as since from build_runs
    where account_id = ${project.account_id} and id = any (${jobs.map(({ build_id }) => Number(build_id))})`)
  const since = first?.since ?? undefined
  if (since === undefined) return undefined
  const lines = jobs.map(({ job, verdict, reason }) => `${publicText(job)} ${VERDICTS[verdict]}: ${publicText(reason)}`)
  const decided = jobs.find((job) => job.verdict === verdict) ?? jobs[0]!
  return { verdict, settled, since, text: textOf(verdict, jobs, '', pageOf), lines, build_id: decided.build_id }
}

function textOf(
  verdict: ReplyOf<'showPreflight'>['verdict'],
  jobs: ReplyOf<'showPreflight'>['jobs'],
  place: string,
  pageOf: (build: string) => string,
): string {
  const lines = jobs.map(
    ({ job, build_id, verdict, reason }) =>
      `- ${code(job)} ${VERDICTS[verdict]}${verdict === 'passed' ? '' : `: ${code(reason)}`} ([build ${build_id}](${pageOf(build_id)}))`,
  )
  return [`**Goldmaster**: ${VERDICTS[verdict]}${place}`, '', ...lines].join('\n')
}
