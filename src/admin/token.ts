import { type Command, Option } from 'commander'
import { SCOPES, type Scope } from '../contract/sets.ts'
import * as tokens from '../domain/access/tokens.ts'
import * as users from '../domain/accounts/users.ts'
import { count, id, manyOf, time, words } from './arguments.ts'
import { type OutputOptions, printMany, printOne } from './output.ts'
import { type Open, using } from './store.ts'

interface AddFlags extends OutputOptions {
  user: string
  name: string
  scopes: Scope[]
  expiresAt?: string
  days?: number
}

const DAY_MS = 86_400_000

const scopes = (text: string): Scope[] => (text === 'all' ? [...SCOPES] : manyOf(SCOPES)(text))

export function token(admin: Command, open: Open) {
  const noun = admin.command('token').description('what programs ask with')

  noun
    .command('add')
    .description('make an API token; its value is printed this once')
    .requiredOption('--user <user>', 'whose: id or e-mail address')
    .requiredOption('--name <name>', 'what it is for', words)
    .requiredOption('--scopes <scopes>', `all, or a list of: ${SCOPES.join(', ')}`, scopes)
    .option('--expires-at <time>', 'until when it works, ISO 8601 (default: for ever)', time)
    .addOption(new Option('--days <count>', 'the same in days from now').argParser(count).conflicts('expiresAt'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  goldmaster admin token add --user lead@example.com --name ci --scopes read:tasks,write:tasks --days 90',
    )
    .action((flags: AddFlags) =>
      using(open, async ({ db }) => {
        const { name, scopes, days } = flags
        const { id: user_id } = await users.find(db, flags.user)
        const expires_at = days === undefined ? (flags.expiresAt ?? null) : new Date(Date.now() + days * DAY_MS).toISOString()
        const made = await tokens.create(db, { user_id, name, scopes, created_via: 'admin', expires_at })
        printOne({ id: made.id, user_id, name, scopes: made.scopes, expires_at, token: made.token }, flags)
      }),
    )

  noun
    .command('list')
    .description('all tokens, or those of a user, newest first')
    .option('--user <user>', 'id or e-mail address')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin token list --user lead@example.com')
    .action((flags: OutputOptions & { user?: string }) =>
      using(open, async ({ db }) => {
        const owner = flags.user === undefined ? undefined : await users.find(db, flags.user)
        const found = await tokens.list(db, owner?.id)
        printMany(found, ['id', 'user_id', 'name', 'prefix', 'expires_at', 'revoked_at', 'last_used_at', 'scopes'], flags)
      }),
    )

  noun
    .command('revoke')
    .description('make a token useless at once')
    .argument('<token>', 'its id', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin token revoke 3')
    .action((tokenId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => {
        if ((await tokens.revoke(db, tokenId)) === 0) throw new Error('There is no such token, or it is revoked already.')
        printOne({ id: tokenId, revoked: true }, flags)
      }),
    )
}
