import { type Command, Option } from 'commander'
import { ROLES, type Role } from '../contract/sets.ts'
import * as tokens from '../domain/access/tokens.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import * as users from '../domain/accounts/users.ts'
import { accountId, email, words } from './arguments.ts'
import { type OutputOptions, printMany, printOne } from './output.ts'
import { readSecret } from './secret-input.ts'
import { type Open, using } from './store.ts'

interface AddFlags extends OutputOptions {
  email: string
  name: string
  account?: number
  role: Role
  password?: string
}

/** `-` keeps a password out of the list of processes and the shell's history. */
const given = async (password: string) => (password === '-' ? readSecret('Password') : password)

export function user(admin: Command, open: Open) {
  const noun = admin.command('user').description('who signs in')

  noun
    .command('add')
    .description('make a user; without a password they cannot sign in until one is set')
    .requiredOption('--email <address>', 'how they sign in', email)
    .requiredOption('--name <name>', 'what they are called', words)
    .option('--account <account>', 'the account they belong to', accountId)
    .addOption(new Option('--role <role>', 'their role in it').choices(ROLES).default('member'))
    .option('--password <password>', '- reads it from standard input', words)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  goldmaster admin user add --email lead@example.com --name Lead --account 1 --role owner --password -',
    )
    .action((flags: AddFlags) =>
      using(open, async ({ db }) => {
        const { email, name, account, role } = flags
        if (account !== undefined) await accounts.find(db, account)
        const password = flags.password === undefined ? undefined : await given(flags.password)
        printOne(await users.create(db, { email, name, account_id: account, role, password }), flags)
      }),
    )

  noun
    .command('list')
    .description('all users, or those of an account')
    .option('--account <account>', 'only members of this one', accountId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin user list --account 1')
    .action((flags: OutputOptions & { account?: number }) =>
      using(open, async ({ db }) =>
        printMany(await users.list(db, flags.account), ['id', 'email', 'name', 'account_ids', 'can_sign_in', 'operator'], flags),
      ),
    )

  for (const [verb, operator] of [
    ['promote', true],
    ['demote', false],
  ] as const)
    noun
      .command(verb)
      .description(
        operator
          ? 'make a user an operator, who sees every mail of the service, links to sign in included'
          : 'make an operator a user like any other',
      )
      .argument('<user>', 'id or e-mail address')
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  goldmaster admin user ${verb} lead@example.com`)
      .action((who: string, flags: OutputOptions) =>
        using(open, async ({ db }) => {
          const { id } = await users.find(db, who)
          await users.setOperator(db, id, operator)
          printOne(await users.find(db, id), flags)
        }),
      )

  noun
    .command('set-password')
    .description('let a user sign in with a new password; whoever is signed in as them has to sign in again')
    .argument('<user>', 'id or e-mail address')
    .option('--password <password>', '- reads it from standard input', words, '-')
    .option('--revoke-tokens', 'also revoke their API tokens')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin user set-password lead@example.com')
    .action((who: string, flags: OutputOptions & { password: string; revokeTokens?: true }) =>
      using(open, async ({ db }) => {
        const { id } = await users.find(db, who)
        await users.replacePassword(db, id, await given(flags.password))
        const revoked = flags.revokeTokens ? await tokens.revokeAll(db, id) : 0
        if (revoked > 0) process.stderr.write(`API tokens revoked: ${revoked}\n`)
        printOne(await users.find(db, id), flags)
      }),
    )
}
