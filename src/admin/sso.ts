import { notFound } from '../contract/errors.ts'
import { ACCOUNT_ROLES } from '../contract/sets.ts'
import type { Database } from '../db/database.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import * as connections from '../domain/sign-in/connections.ts'
import * as scim from '../domain/sign-in/scim.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { accountId, nullIfNone, words, yesOrNo } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { secretOf } from './secret-input.ts'

const args = { account: { help: 'Account id', read: accountId } }

const list = (text: string): string[] => (text === 'none' ? [] : text.split(',').map((word) => word.trim().toLowerCase()))

const domains = (text: string): string[] => {
  const read = list(text)
  if (!read.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)))
    throw new Error('It must be a list of domains, such as studio.example')
  return read
}

/** `leads=owner,crew=member`; a group may contain an equals sign itself. */
const roleGroups = (text: string) =>
  (text === 'none' ? [] : text.split(',')).map((pair) => {
    const [group, role] = [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)]
    const known = ACCOUNT_ROLES.find((one) => one === role)
    if (group === '' || !known) throw new Error(`It must be a list of group=role; roles: ${ACCOUNT_ROLES.join(', ')}.`)
    return { group, role: known }
  })

const find = async (db: Database, account: number) => {
  const found = await connections.find(db, account)
  if (!found) throw notFound('Single sign-on')
  return found
}

const show = command({
  name: 'show',
  summary: 'Show the single sign-on settings of an account',
  args,
  examples: ['admin sso show 1'],
  run: async ({ args, out, store }) => out.record(await find((await store()).db, args.account)),
})

const set = command({
  name: 'set',
  summary: 'Set up or change single sign-on (OpenID Connect)',
  args,
  flags: {
    issuer: { help: 'Issuer URL of the provider', value: 'url', read: words },
    client_id: { help: 'Client id', value: 'id', read: words },
    client_secret: { help: 'Client secret; - reads standard input', value: 'secret', read: words },
    domains: {
      help: 'Allowed email domains: studio.example,… or none. Only these can sign in with the provider',
      value: 'domains',
      read: domains,
    },
    trusts_email: {
      help: 'Accept email addresses that the provider does not mark as verified; only if people cannot change theirs',
      value: 'yes|no',
      read: yesOrNo,
    },
    groups_claim: { help: 'Claim with the groups of a person (default: groups)', value: 'claim', read: words },
    role_groups: { help: 'Role for each group: leads=owner,crew=member or none', value: 'list', read: roleGroups },
    default_role: {
      help: 'Role of people in none of the groups; none refuses them (default: member)',
      value: 'role',
      values: [...ACCOUNT_ROLES, 'none'],
    },
    required: {
      help: 'Require single sign-on: members with an email address in these domains cannot use a password',
      value: 'yes|no',
      read: yesOrNo,
    },
  },
  examples: [
    'admin sso set 1 --issuer https://login.studio.example --client-id goldmaster --client-secret - --domains studio.example',
    'admin sso set 1 --required no',
  ],
  async run({ args: { account }, flags: { client_secret, default_role, ...flags }, out, store }) {
    const { db, change, vault } = await store()
    await accounts.find(db, account)
    const before = await connections.find(db, account)
    const { issuer = before?.issuer, client_id = before?.client_id } = flags
    if (issuer === undefined || client_id === undefined)
      throw usage('Missing settings for a new provider. Pass --issuer, --client-id and --client-secret.')
    const settings = {
      issuer,
      client_id,
      client_secret: client_secret === undefined ? undefined : await secretOf(client_secret, 'Client secret'),
      domains: flags.domains ?? before?.domains ?? [],
      trusts_email: flags.trusts_email ?? before?.trusts_email ?? false,
      groups_claim: flags.groups_claim ?? before?.groups_claim ?? 'groups',
      role_groups: flags.role_groups ?? before?.role_groups ?? [],
      default_role: default_role === undefined ? (before ? before.default_role : 'member') : nullIfNone(default_role),
      required: flags.required ?? before?.required ?? false,
    }
    await change('single_sign_on', account, (db) => connections.set(db, vault, account, settings))
    out.record(await find(db, account))
  },
})

const remove = command({
  name: 'remove',
  summary: 'Remove single sign-on; members then need passwords',
  args,
  examples: ['admin sso remove 1'],
  run: async ({ args, out, store }) => {
    const { change } = await store()
    await change('single_sign_on', args.account, (db) => connections.remove(db, args.account))
    out.note('removed')
  },
})

const scimToken = command({
  name: 'scim-token',
  summary: 'Create a SCIM token; the previous one stops working',
  args,
  examples: ['admin sso scim-token 1'],
  async run({ args, out, store }) {
    const { change, site } = await store()
    const token = await change('scim_token', args.account, (db) => scim.makeToken(db, args.account))
    out.record({ scim_url: `${site}/scim/v2`, token })
  },
})

export const sso: Noun<AdminCommand> = {
  name: 'sso',
  summary: 'Set up single sign-on and SCIM for an account',
  commands: [show, set, scimToken, remove],
}
