import { PLANS } from '../contract/sets.ts'
import { readAddresses } from '../domain/access/allowed-addresses.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import { deleteAccount } from '../domain/accounts/deletion.ts'
import { newAccount } from '../domain/accounts/metering.ts'
import { usage } from '../domain/accounts/quotas.ts'
import type { Noun } from '../terminal/command.ts'
import type { GivenFlags } from '../terminal/flags.ts'
import { extra, main } from '../terminal/table.ts'
import { accountId, count, nullIfNone, orNone, quotaList, time, timezone, words, yesOrNo } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { showProgress } from './progress.ts'
import { confirmName } from './secret-input.ts'

const flags = {
  plan: { help: 'Plan', value: 'plan', values: PLANS },
  timezone: { help: 'Time zone, such as Europe/Oslo', value: 'zone', read: timezone },
  trial_ends_at: { help: 'End of the trial, ISO 8601, or none', value: 'time', read: orNone(time) },
  payment_method: {
    help: 'Whether a payment method is on record; yes ends the read-only state after a trial',
    value: 'yes|no',
    read: yesOrNo,
  },
  demo: { help: 'Demo account (read-only)', value: 'yes|no', read: yesOrNo },
  allow_addresses: {
    help: 'Allowed IP ranges for people and tokens: 203.0.113.0/24,2001:db8::/32, or none to allow all',
    value: 'list',
    read: (text: string) => readAddresses(text === 'none' ? [] : text.split(',')) ?? ('none' as const),
  },
  requires_second_factor: { help: 'Require a second factor for members', value: 'yes|no', read: yesOrNo },
  credits: { help: 'Credits for investigations, or none for unlimited', value: 'count', read: orNone(count) },
  daily_limit: { help: 'Investigations per day, or none for the limit of the plan', value: 'count', read: orNone(count) },
  quotas: {
    help: 'Quotas, such as deliveries=100000,stored_bytes=50GB,webhooks=off; others keep the default of the service, none resets all',
    value: 'list',
    read: orNone(quotaList),
  },
} as const
const name = { help: 'Name', value: 'name', read: words } as const
const args = { account: { help: 'Account id', read: accountId } }

const fieldsOf = ({ trial_ends_at, allow_addresses, credits, daily_limit, quotas, ...fields }: GivenFlags<typeof flags>) => ({
  ...fields,
  allowed_addresses: nullIfNone(allow_addresses),
  trial_ends_at: nullIfNone(trial_ends_at),
  credits: nullIfNone(credits),
  daily_limit: nullIfNone(daily_limit),
  quotas: quotas === 'none' ? {} : quotas,
})

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

const add = command({
  name: 'add',
  summary: 'Create an account',
  details: 'Without flags the account has the enterprise plan and unlimited credits, unless METERING is on.',
  flags: { name: { ...name, required: true }, ...flags },
  examples: ['admin account add --name "Night Owl" --plan studio --credits 100'],
  async run({ flags: { name, ...fields }, out, store }) {
    const { change, metering } = await store()
    const made = { ...(!metering && newAccount(false)), ...given(fieldsOf(fields)), name }
    out.record(await change('account', undefined, (db) => accounts.create(db, made)))
  },
})

const list = command({
  name: 'list',
  summary: 'List all accounts',
  examples: ['admin account list'],
  async run({ out, store }) {
    const found = await accounts.list((await store()).db)
    out.answer(found, () =>
      out.list(
        'accounts',
        found,
        ['id', main('name'), 'plan', 'credits', 'read_only', extra('members'), extra('projects')],
        'Create one with goldmaster admin account add.',
      ),
    )
  },
})

const show = command({
  name: 'show',
  summary: 'Show an account',
  args,
  examples: ['admin account show 1'],
  async run({ args, out, store }) {
    const { db, quotas, retention } = await store()
    const account = await accounts.find(db, args.account)
    const used = await usage(db, quotas, account.id, retention.bodies)
    out.record({ ...account, usage: Object.fromEntries(used.map(({ kind, used, limit }) => [kind, { used, limit }])) })
  },
})

const set = command({
  name: 'set',
  summary: 'Change the settings of an account',
  args,
  flags: { name, ...flags },
  examples: ['admin account set 1 --payment-method yes --credits 200'],
  async run({ args, flags: { name, ...fields }, out, store }) {
    const { change } = await store()
    out.record(await change('account', args.account, (db) => accounts.edit(db, args.account, { name, ...fieldsOf(fields) })))
  },
})

const remove = command({
  name: 'delete',
  summary: 'Delete an account, its data, and users in no other account',
  args,
  flags: { yes: { help: 'Do not ask for confirmation' } },
  details:
    'This cannot be undone. To keep a copy, run first: goldmaster admin export ACCOUNT. If it is interrupted, run it again.',
  examples: ['admin account delete 1 --yes'],
  async run({ args, flags, out, store }) {
    const { db } = await store()
    const { id, name } = await accounts.find(db, args.account)
    await confirmName(flags.yes, name)
    const progress = showProgress(process.stderr)
    const deleted = await deleteAccount(db, id, progress.update)
    progress.clear()
    out.record({ id, deleted: true, rows: Object.values(deleted).reduce((sum, count) => sum + count, 0) })
  },
})

export const account: Noun<AdminCommand> = {
  name: 'account',
  summary: 'Create, change and delete accounts',
  commands: [add, list, show, set, remove],
}
