import { ApiError } from '../contract/errors.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES, type Scope } from '../contract/sets.ts'
import { visible } from './shrink.ts'

const LONGEST = 2000

/** How the user can give an assistant another token, in a sentence each. */
export interface Remedies {
  /** Any login is enough. */
  signIn: string
  /** A login that requests additional scopes. */
  askForMore: string
  /** A manually created token, which may have scopes that no login grants. */
  ownToken: string
}

export const remedyFor = (scope: Scope, { signIn, askForMore, ownToken }: Remedies): string => {
  if (LOGIN_SCOPES.includes(scope)) return signIn
  return GRANTABLE_SCOPES.includes(scope)
    ? `A login has this scope only if it requests it. ${askForMore}`
    : `A login cannot have this scope. ${ownToken}`
}

/** What to do about an error, for an assistant that can call tools and talk to the user. */
function advice({ status, code, extra, headers }: ApiError, remedies: Remedies): string {
  const { required_scope, upgrade_url } = extra as { required_scope?: Scope; upgrade_url?: string }
  if (status === 401) return remedies.signIn
  if (required_scope)
    return `Do not retry. This needs a token with the scope ${required_scope}. ${remedyFor(required_scope, remedies)}`
  if (code === 'insufficient_credits') return 'Do not retry. Tell the user that the account has no credits left.'
  if (upgrade_url) return `Do not retry. Tell the user about ${upgrade_url}`
  if (status === 403) return 'Do not retry. Tell the user.'
  if (status === 404) return 'Check the ids: list_projects and the other list tools return those that this user can see.'
  if (status === 429) return `Wait ${headers['retry-after'] ?? 'some'} seconds before the next call.`
  if (status >= 500) return 'Try once more in a few seconds. If it fails again, tell the user.'
  return 'Correct the arguments and call again.'
}

/** Values that the API accepts, if the message does not list them already. */
const allowed = ({ message, extra }: ApiError) =>
  Object.entries(extra)
    .map(([name, value]) => ({ name, values: [value].flat().join(', ') }))
    .filter(({ name, values }) => /^(?:valid|expected)_/.test(name) && !message.includes(values))
    .map(({ name, values }) => ` ${name}: ${values}.`)
    .join('')

/** An API error, and what to do about it. */
export function refusalText(error: unknown, remedies: Remedies): string {
  if (!(error instanceof ApiError)) return visible((error as Error).message ?? String(error)).slice(0, LONGEST)
  const code = error.code === '' || /\s/.test(error.code) ? '' : ` ${error.code}`
  return visible(`${error.message} (${error.status}${code})${allowed(error)} ${advice(error, remedies)}`).slice(0, LONGEST)
}
