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

const args = { user: { help: 'id or e-mail address' } }

const add = command({
  name: 'add',
  summary: 'make a user; without a password they cannot sign in until one is set',
  flags: {
    email: { help: 'how they sign in', value: 'address', read: email, required: true },
    name: { help: 'what they are called', value: 'name', read: words, required: true },
    account: { help: 'the account they belong to', value: 'account', read: accountId },
    role: { help: 'their role in it (default: member)', value: 'role', values: ACCOUNT_ROLES },
    password: { help: '- reads it from standard input', value: 'password', read: words },
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
  summary: 'all users, or those of an account',
  flags: { account: { help: 'only members of this one', value: 'account', read: accountId } },
  examples: ['admin user list --account 1'],
  async run({ flags, out, store }) {
    const found = await users.list((await store()).db, flags.account)
    out.answer(found, () =>
      out.list('users', found, [
        'id',
        { ...main('email'), ends: true },
        'name',
        field('account_ids', 'accounts'),
        extra('can_sign_in', 'signs in'),
        'operator',
      ]),
    )
  },
})

const setOperator = (name: string, operator: boolean, summary: string) =>
  command({
    name,
    summary,
    args,
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
  summary: 'let a user sign in with a new password; whoever is signed in as them has to sign in again',
  args,
  flags: {
    password: { help: '- reads it from standard input, as without this option', value: 'password', read: words },
    revoke_tokens: { help: 'also revoke their API tokens' },
    reset_two_factor: { help: 'also forget their authenticator app and passkeys, for whoever has lost them' },
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
  summary: 'delete a user: login, tokens and every mention of the address and full name; history says "Former member"',
  args,
  flags: {
    yes: { help: 'do not ask: it cannot be undone' },
    revoke_made_tokens: {
      help: 'also revoke Unreal Game Sync tokens they created, and replace webhook tokens of integrations they added',
    },
  },
  details:
    'Prints tokens of tools that they created and may still know; --revoke-made-tokens revokes them. A name of one word stays in texts that people wrote, because it may be any word. The last owner of an account is not deleted.',
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
  summary: 'who signs in',
  commands: [
    add,
    list,
    setOperator('promote', true, 'make a user an operator, who sees every mail of the service, links to sign in included'),
    setOperator('demote', false, 'make an operator a user like any other'),
    setPassword,
    remove,
  ],
}
