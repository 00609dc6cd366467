import { BUILD_KINDS } from '../contract/sets.ts'
import type { BuildFact } from './facts.ts'
import { at, object, text, word } from './reading.ts'

/** How the result of a version of a shelf is called, when its address is kept and when it is written. */
export const testRun = (shelf: string, version: string | number) => `test run ${shelf} ${version}`

/** What our own statuses are called: they are ignored when the tool reports them. */
export const OWN_PREFIX = 'goldmaster/'

/** The fields of a report about a preflight, as the tool wrote them. */
interface PreflightFields {
  kind?: unknown
  preflight?: unknown
  bisect?: unknown
  shelf?: unknown
  pull_request?: unknown
  repository?: unknown
  head_repository?: unknown
  target_branch?: unknown
  /** Only checked for names that servers give to pull requests. */
  branch?: unknown
  job?: unknown
}

type Origin = Pick<BuildFact, 'build_kind' | 'shelf' | 'pull_request' | 'head_repository' | 'target_branch'>

/** Whether a build is of a shelf, a pull request or a fork instead of its branch. Empty if the report does not say. */
export function originOf(told: PreflightFields): Origin {
  const shelf = said(told.shelf) ?? shelfIn(told.preflight)
  const pull_request = pullRequestOf(told.pull_request) ?? pullRequestIn(told.branch) ?? pullRequestIn(told.job)
  const head_repository = isOther(told.head_repository, told.repository) ? text(told.head_repository) : undefined
  const isPreflight = said(told.preflight) !== undefined || shelf !== undefined || pull_request !== undefined
  const kind = BUILD_KINDS.find((known) => known === text(told.kind)?.toLowerCase())
  const build_kind =
    kind ?? (isPreflight || head_repository !== undefined ? 'preflight' : said(told.bisect) === undefined ? undefined : 'bisect')
  if (build_kind === undefined) return {}
  const target_branch =
    text(told.target_branch) ?? text(at(told.pull_request, 'base', 'ref')) ?? text(at(told.pull_request, 'base'))
  return {
    build_kind,
    ...(shelf !== undefined && shelf !== 'true' && { shelf }),
    ...(pull_request !== undefined && pull_request !== 'true' && { pull_request }),
    ...(head_repository !== undefined && { head_repository }),
    ...(target_branch !== undefined && { target_branch: target_branch.replace(/^refs\/heads\//, '') }),
  }
}

/** The fields of a flat report. */
export const flatOrigin = (body: unknown): Origin =>
  originOf({
    kind: at(body, 'kind'),
    preflight: at(body, 'preflight') ?? at(body, 'isPreflight') ?? at(body, 'preflightChange'),
    bisect: at(body, 'bisect'),
    shelf: at(body, 'shelf'),
    pull_request: at(body, 'pull_request'),
    repository: at(body, 'repository'),
    head_repository: at(body, 'head_repository'),
    target_branch: at(body, 'target_branch'),
    branch: at(body, 'branch'),
    job: at(body, 'job_name'),
  })

/** CIs write "false" or 0 if there is none. */
const NOTHING = new Set(['', 'false', '0', 'no', 'none', 'null', 'undefined'])

const said = (value: unknown): string | undefined => {
  const read = (typeof value === 'boolean' ? String(value) : word(value))?.trim()
  return read === undefined || NOTHING.has(read.toLowerCase()) ? undefined : read
}

/** Some CIs give the shelved changelist, others only true. */
const shelfIn = (preflight: unknown) => (/^\d{2,}$/.test(said(preflight) ?? '') ? said(preflight) : undefined)

const pullRequestOf = (value: unknown): string | undefined =>
  object(value) ? (word(at(value, 'number')) ?? word(at(value, 'id')) ?? 'true') : said(value)

/** `pull/16/head` is a branch to TeamCity; Jenkins calls both the branch and the job `PR-16`. */
const PULL_REQUEST = /^(?:refs\/)?(?:pull|pull-requests|merge-requests)\/(\d+)(?:\/|$)|(?:^|\/)[PM]R-(\d+)(?:-(?:head|merge))?$/

function pullRequestIn(name: unknown): string | undefined {
  const [, ref, job] = PULL_REQUEST.exec(text(name) ?? '') ?? []
  return ref ?? job
}

/** Whether both are reported and differ. */
function isOther(head: unknown, base: unknown): boolean {
  const [one, other] = [pathOf(head), pathOf(base)]
  if (one === undefined || other === undefined || one === other) return false
  return !one.endsWith(`/${other}`) && !other.endsWith(`/${one}`)
}

/** `git@github.com:Owl/Game.git` and `https://github.com/owl/game` are both `github.com/owl/game`; servers compare names without case. */
const pathOf = (repository: unknown): string | undefined =>
  text(repository)
    ?.trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/@]+@/, '')
    .replace(':', '/')
    .replace(/(?:\.git)?\/*$/, '')
