import type { ApiError } from '../contract/errors.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES, type Scope } from '../contract/sets.ts'
import { clean } from './text.ts'

/** Exit codes; scripts branch on them. */
export const EXIT = { failed: 1, usage: 2, notSignedIn: 4, notFound: 8 } as const

/** An error that the user can understand and fix, in one line. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exit: number

  constructor(message: string, exit: number = EXIT.failed) {
    super(message)
    this.exit = exit
  }
}

export const usage = (message: string) => new Failure(message, EXIT.usage)

interface Source {
  /** The called service; none for commands that use the database. */
  site?: string
  /** The source of the token, if there is one. */
  source?: string | undefined
}

/** The message and exit code for anything that was thrown. */
export function explain(error: unknown, { site = '', source }: Source): Failure {
  // By name: a separately bundled command has its own classes.
  if (isFailure(error)) return error
  if (!isRefusal(error)) return new Failure(clean((error as Error).message ?? String(error)))
  const { status, code, extra } = error
  const message = clean(error.message)
  const upgrade = typeof extra.upgrade_url === 'string' ? ` See ${clean(extra.upgrade_url)}` : ''
  if (status === 401) return new Failure(unsigned(site, source), EXIT.notSignedIn)
  if (code === 'insufficient_scope') return new Failure(`${message} ${scopeAdvice(site, extra.required_scope as Scope, source)}`)
  if (status === 404) return new Failure(`${message}${whereToLook(message, site)}`, EXIT.notFound)
  return new Failure(`${message}${REMEDIES[code] ?? ''}${upgrade}`)
}

/** Advice beyond the service's message, by error code. */
const REMEDIES: Record<string, string> = {
  insufficient_credits: ' Ask the operator to add credits: goldmaster admin account set ACCOUNT --credits 100',
  demo_read_only: ' Choose another project with --project. To see your projects, run: goldmaster projects list',
}

const isFailure = (error: unknown): error is Failure => (error as Error).name === 'Failure'
const isRefusal = (error: unknown): error is ApiError => (error as Error).name === 'ApiError'

/** The commands that list records of these names. */
const LISTS: Record<string, string> = {
  Project: 'projects list',
  Task: 'tasks list',
  'Build run': 'builds list',
  Change: 'changes list',
  Asset: 'assets list',
  Approval: 'approvals list',
  Deployment: 'deployments list',
  Breakage: 'breakages list',
  Integration: 'admin integration list',
  Webhook: 'admin webhook list',
  Token: 'admin token list',
  User: 'admin user list',
}

function whereToLook(message: string, site: string): string {
  const list = LISTS[/^(.+) not found\.$/.exec(message)?.[1] ?? '']
  const parts = [site && `at ${site}`, list && `to see what exists, run: goldmaster ${list}`].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join('; ')})` : ''
}

const unsigned = (site: string, source?: string) =>
  source === 'GOLDMASTER_TOKEN'
    ? `${site} rejected GOLDMASTER_TOKEN: the token is unknown, revoked or expired. Create one at ${site}/settings/tokens and set it.`
    : `${site} rejected your token: it is unknown, revoked or expired. Sign in again: goldmaster login --host ${site}`

/** A login grants some scopes by default, some only on request, and others never; and it is useless while GOLDMASTER_TOKEN has priority. */
function scopeAdvice(site: string, scope: Scope, source?: string): string {
  const made = `create a token with ${scope} at ${site}/settings/tokens`
  if (source === 'GOLDMASTER_TOKEN') return `Your token comes from GOLDMASTER_TOKEN: ${made} and set it instead.`
  if (!GRANTABLE_SCOPES.includes(scope)) return `goldmaster login cannot grant it: ${made}, then run: goldmaster login --token`
  const asked = LOGIN_SCOPES.includes(scope) ? '' : ' --scope all'
  return `Sign in again and allow it on the page that opens (${site}/cli/auth): goldmaster login --host ${site}${asked}`
}
