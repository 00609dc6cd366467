import { ACCOUNT_ROLES } from '../contract/sets.ts'
import type { Database } from '../db/database.ts'
import * as tokens from '../domain/access/tokens.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import { deleteUser } from '../domain/accounts/forget-person.ts'
import * as users from '../domain/accounts/users.ts'
import { proveAddress } from '../domain/sign-in/address-proof.ts'
import * as passkeys from '../domain/sign-in/passkeys.ts'
import * as twoFactor from '../domain/sign-in/two-factor.ts'
import * as madeTokens from '../domain/ugs/made-tokens.ts'
import type { Noun } from '../terminal/command.ts'
import { extra, field, main } from '../terminal/table.ts'
import { accountId, email, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { confirmName, secretOf } from './secret-input.ts'

const args = { user: { help: 'User id or email address' } }

const add = command({
  name: 'add',
  summary: 'Create a user in an account',
  flags: {
    email: { help: 'Email address', value: 'address', read: email, required: true },
    name: { help: 'Full name', value: 'name', read: words, required: true },
    account: { help: 'Account id', value: 'account', read: accountId },
    role: { help: 'Role in the account (default: member)', value: 'role', values: ACCOUNT_ROLES },
    password: {
      help: 'Password; - reads standard input. Without it the user cannot sign in with a password',
      value: 'password',
      read: words,
    },
  },
  examples: ['admin user add --email lead@example.com --name Lead --account 1 --role owner --password -'],
  async run({ flags: { email, name, account, role = 'member', ...flags }, out, store }) {
    const { db, change } = await store()
    if (account !== undefined) await accounts.find(db, account)
    const password = flags.password === undefined ? undefined : await secretOf(flags.password, 'Password')
    out.record(await change('user', undefined, (db) => users.create(db, { email, name, account_id: account, role, password })))
  },
})

const list = command({
  name: 'list',
  summary: 'List all users, or those of an account',
  flags: { account: { help: 'Filter by account id', value: 'account', read: accountId } },
  examples: ['admin user list --account 1'],
  async run({ flags, out, store }) {
    const found = await users.list((await store()).db, flags.account)
    out.answer(found, () =>
      out.list(
        'users',
        found,
        [
          'id',
          { ...main('email'), ends: true },
          'name',
          field('account_ids', 'accounts'),
          extra('can_sign_in', 'signs in'),
          'operator',
        ],
        'Create one with goldmaster admin user add.',
      ),
    )
  },
})

const setOperator = (name: string, operator: boolean, summary: string, details?: string) =>
  command({
    name,
    summary,
    args,
    ...(details !== undefined && { details }),
    examples: [`admin user ${name} lead@example.com`],
    async run({ args, out, store }) {
      const { db, change } = await store()
      const { id } = await users.find(db, args.user)
      await change('user', id, (db) => users.setOperator(db, id, operator))
      out.record(await users.find(db, id))
    },
  })

const setPassword = command({
  name: 'set-password',
  summary: 'Set the password of a user and end their sessions',
  args,
  flags: {
    password: { help: 'Password; - reads standard input (default: -)', value: 'password', read: words },
    revoke_tokens: { help: 'Also revoke their API tokens' },
    reset_two_factor: { help: 'Also remove their authenticator app and passkeys' },
  },
  examples: ['admin user set-password lead@example.com'],
  async run({ args, flags: { password = '-', revoke_tokens, reset_two_factor }, out, store }) {
    const { db, change } = await store()
    const { id } = await users.find(db, args.user)
    const chosen = await secretOf(password, 'Password')
    const reset = async (db: Database) => {
      await proveAddress(db, id)
      await users.replacePassword(db, id, chosen)
      if (reset_two_factor) {
        await twoFactor.remove(db, id)
        await passkeys.removeAll(db, id)
      }
      return revoke_tokens ? tokens.revokeAll(db, id) : 0
    }
    const revoked = await change('user', id, reset, { after: { revoke_tokens, reset_two_factor } })
    if (revoked > 0) out.note(`API tokens revoked: ${revoked}`)
    out.record(await users.find(db, id))
  },
})

const remove = command({
  name: 'delete',
  summary: 'Delete a user, their tokens and personal data',
  args,
  flags: {
    yes: { help: 'Do not ask for confirmation' },
    revoke_made_tokens: {
      help: 'Also revoke Unreal Game Sync tokens and replace webhook tokens that they created',
    },
  },
  details:
    'This cannot be undone. Their email address and full name are removed everywhere; the history says "Former member". A name of one word stays in texts that people wrote.\nPrints the Unreal Game Sync and webhook tokens that they created and may still know. You cannot delete the last owner of an account.',
  examples: ['admin user delete lead@example.com --yes'],
  async run({ args, flags, out, store }) {
    const { db, change, vault } = await store()
    const { id, email } = await users.find(db, args.user)
    await confirmName(flags.yes, email)
    const made = await madeTokens.listOfUser(db, id)
    if (flags.revoke_made_tokens)
      for (const token of made) await change(token.kind, token.id, (db) => madeTokens.revoke(db, vault, token))
    for (const { kind, name, id, project_id } of made)
      out.note(
        `${flags.revoke_made_tokens ? 'Revoked' : 'Created by them and still valid'}: ${kind} ${id} (${name}) of project ${project_id}`,
      )
    out.record({ id, deleted: true, ...(await change('user', id, () => deleteUser(db, id), { detached: true })) })
  },
})

export const user: Noun<AdminCommand> = {
  name: 'user',
  summary: 'Create, change and delete users',
  commands: [
    add,
    list,
    setOperator(
      'promote',
      true,
      'Give a user the operator role',
      'Operators see the service status and all mail of the service, including links to sign in.',
    ),
    setOperator('demote', false, 'Take the operator role from a user'),
    setPassword,
    remove,
  ],
}
