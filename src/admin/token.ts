import { PLAIN_SCOPES, SCOPES, type Scope } from '../contract/sets.ts'
import * as tokens from '../domain/access/tokens.ts'
import * as users from '../domain/accounts/users.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { extra, field, main } from '../terminal/table.ts'
import { count, id, manyOf, time, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const DAY_MS = 86_400_000

const scopes = (text: string): Scope[] => (text === 'all' ? [...PLAIN_SCOPES] : manyOf(SCOPES)(text))

const add = command({
  name: 'add',
  summary: 'Create an API token; prints its value once',
  flags: {
    user: { help: 'User id or email address', value: 'user', required: true },
    name: { help: 'Name, such as what it is used for', value: 'name', read: words, required: true },
    scopes: {
      help: `Scopes: all (without administration), or a list of: ${SCOPES.join(', ')}`,
      value: 'scopes',
      read: scopes,
      required: true,
    },
    expires_at: { help: 'Expiry time, ISO 8601 (default: never)', value: 'time', read: time },
    days: { help: 'Expiry in days from now', value: 'count', read: count },
  },
  examples: ['admin token add --user lead@example.com --name ci --scopes read:tasks,write:tasks --days 90'],
  async run({ flags: { user, name, scopes, days, ...flags }, out, store }) {
    if (days !== undefined && flags.expires_at !== undefined) throw usage('Use --expires-at or --days, not both')
    const { db, change } = await store()
    const { id: user_id } = await users.find(db, user)
    const expires_at = days === undefined ? (flags.expires_at ?? null) : new Date(Date.now() + days * DAY_MS).toISOString()
    const token = { user_id, name, scopes, created_via: 'admin', expires_at } as const
    const made = await change('token', undefined, (db) => tokens.create(db, token))
    out.record({ id: made.id, user_id, name, scopes: made.scopes, expires_at, token: made.token })
  },
})

const list = command({
  name: 'list',
  summary: 'List API tokens, newest first',
  flags: { user: { help: 'Filter by user id or email address', value: 'user' } },
  examples: ['admin token list --user lead@example.com'],
  async run({ flags, out, store }) {
    const { db } = await store()
    const owner = flags.user === undefined ? undefined : await users.find(db, flags.user)
    const found = await tokens.list(db, owner?.id)
    out.answer(found, () =>
      out.list(
        'tokens',
        found,
        [
          'id',
          field('user_id', 'user'),
          main('name'),
          'prefix',
          'expires_at',
          'revoked_at',
          extra('last_used_at'),
          extra('scopes'),
        ],
        'Create one with goldmaster admin token add.',
      ),
    )
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'Revoke an API token immediately',
  args: { token: { help: 'Token id', read: id } },
  examples: ['admin token revoke 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('token', args.token, async (db) => {
      const revoked = await tokens.revoke(db, args.token)
      if (revoked === 0)
        throw new Error('Token not found, or already revoked. To see the tokens, run: goldmaster admin token list')
    })
    out.record({ id: args.token, revoked: true })
  },
})

export const token: Noun<AdminCommand> = {
  name: 'token',
  summary: 'Create, list and revoke API tokens',
  commands: [add, list, revoke],
}
