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
  summary: 'make an API token; its value is printed this once',
  flags: {
    user: { help: 'whose: id or e-mail address', value: 'user', required: true },
    name: { help: 'what it is for', value: 'name', read: words, required: true },
    scopes: {
      help: `all (but administration), or a list of: ${SCOPES.join(', ')}`,
      value: 'scopes',
      read: scopes,
      required: true,
    },
    expires_at: { help: 'until when it works, ISO 8601 (default: for ever)', value: 'time', read: time },
    days: { help: 'the same in days from now', value: 'count', read: count },
  },
  examples: ['admin token add --user lead@example.com --name ci --scopes read:tasks,write:tasks --days 90'],
  async run({ flags: { user, name, scopes, days, ...flags }, out, store }) {
    if (days !== undefined && flags.expires_at !== undefined) throw usage('Give --expires-at or --days, not both')
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
  summary: 'all tokens, or those of a user, newest first',
  flags: { user: { help: 'id or e-mail address', value: 'user' } },
  examples: ['admin token list --user lead@example.com'],
  async run({ flags, out, store }) {
    const { db } = await store()
    const owner = flags.user === undefined ? undefined : await users.find(db, flags.user)
    const found = await tokens.list(db, owner?.id)
    out.answer(found, () =>
      out.list('tokens', found, [
        'id',
        field('user_id', 'user'),
        main('name'),
        'prefix',
        'expires_at',
        'revoked_at',
        extra('last_used_at'),
        extra('scopes'),
      ]),
    )
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'make a token useless at once',
  args: { token: { help: 'its id', read: id } },
  examples: ['admin token revoke 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('token', args.token, async (db) => {
      const revoked = await tokens.revoke(db, args.token)
      if (revoked === 0) throw new Error('There is no such token, or it is revoked already.')
    })
    out.record({ id: args.token, revoked: true })
  },
})

export const token: Noun<AdminCommand> = { name: 'token', summary: 'what programs ask with', commands: [add, list, revoke] }
