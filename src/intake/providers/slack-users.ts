import { type Database, sql } from '../../db/database.ts'
import type { Vault } from '../../domain/privacy/secrets.ts'
import { secretOf } from '../../domain/sending/destinations.ts'
import { at, objects, text } from '../reading.ts'
import { Refused } from './ci-replies.ts'
import type { UserList } from './user-list.ts'

/** The most that Slack lists on a page; it permits about 20 pages a minute. */
const PAGE = 1000

const page = (cursor: string) => ({
  path: `/users.list?${new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) })}`,
})

const SCOPES =
  'The bot needs the scopes users:read and users:read.email. Add them to the app in Slack, install it again, and enter its new token in the channel.'
const LOGIN = 'Slack does not accept the token of the bot. Enter a new one in the channel.'

/** Slack answers 200 to everything. */
function requireOk(body: unknown) {
  if (at(body, 'ok') === true) return
  const error = text(at(body, 'error')) ?? 'no reason'
  if (error === 'missing_scope' || error === 'no_permission') throw new Refused(SCOPES)
  if (/^(?:invalid_auth|not_authed|token_|account_inactive|team_disabled|org_login_required)/.test(error))
    throw new Refused(LOGIN)
  throw new Refused(`Slack can't list its users now (${error.slice(0, 100)}). Try again, or paste a list of users.`)
}

/** People of a workspace: Slack has confirmed their addresses. Guests count, bots and people who left don't. */
export const slackUsers: UserList = {
  headers: ({ api_token }) => ({ authorization: `Bearer ${text(api_token) ?? ''}` }),
  first: () => page(''),
  read({ body }) {
    requireOk(body)
    const members = objects(at(body, 'members'))
    const humans = members.filter(
      ({ id, deleted, is_bot }) => text(id) !== undefined && deleted !== true && is_bot !== true && id !== 'USLACKBOT',
    )
    const people = humans.map((one) => ({
      uid: text(one.id)!,
      name: text(at(one, 'profile', 'real_name')) ?? text(one.real_name) ?? '',
      // One that nobody has confirmed could be anybody's.
      email: one.is_email_confirmed === false ? '' : (text(at(one, 'profile', 'email')) ?? ''),
    }))
    if (people.length > 0 && humans.every((one) => at(one, 'profile', 'email') === undefined)) throw new Refused(SCOPES)
    const cursor = text(at(body, 'response_metadata', 'next_cursor'))
    return { people, next: cursor === undefined ? [] : [page(cursor)] }
  },
}

/** The tokens of an account's Slack bots, each once. */
export async function slackTokens(db: Database, vault: Vault, accountId: number): Promise<string[]> {
  const bots = await db.rows<{ id: number; sealed: string }>(sql`
    select d.id, d.secret_sealed as sealed from destinations d
    where d.account_id = ${accountId} and d.kind = 'slack' and d.secret_sealed <> '' order by d.id`)
  return [...new Set(bots.map(({ id, sealed }) => vault.open(sealed, secretOf(id))))]
}
