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
  plan: { help: 'what the account pays for', value: 'plan', values: PLANS },
  timezone: { help: 'such as Europe/Oslo', value: 'zone', read: timezone },
  trial_ends_at: { help: 'ISO 8601, or none', value: 'time', read: orNone(time) },
  payment_method: { help: 'whether one is on record; yes opens a lapsed trial at once', value: 'yes|no', read: yesOrNo },
  demo: { help: 'a demo account is read-only', value: 'yes|no', read: yesOrNo },
  allow_addresses: {
    help: 'ranges that people and tokens may come from: 203.0.113.0/24,2001:db8::/32, or none for anywhere',
    value: 'list',
    read: (text: string) => readAddresses(text === 'none' ? [] : text.split(',')) ?? ('none' as const),
  },
  requires_second_factor: { help: 'whether its people need a second factor', value: 'yes|no', read: yesOrNo },
  credits: { help: 'investigations it may still start, or none for not counted', value: 'count', read: orNone(count) },
  daily_limit: { help: 'investigations a day, or none for what the plan gives', value: 'count', read: orNone(count) },
  quotas: {
    help: 'what it may use, such as deliveries=100000,stored_bytes=50GB,webhooks=off; the rest, or none, as the service has it',
    value: 'list',
    read: orNone(quotaList),
  },
} as const
const name = { help: 'what it is called', value: 'name', read: words } as const
const args = { account: { help: 'its id', read: accountId } }

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
  summary: 'make an account; what is not given is enterprise and not counted, unless METERING is on',
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
  summary: 'all accounts',
  examples: ['admin account list'],
  async run({ out, store }) {
    const found = await accounts.list((await store()).db)
    out.answer(found, () =>
      out.list('accounts', found, ['id', main('name'), 'plan', 'credits', 'read_only', extra('members'), extra('projects')]),
    )
  },
})

const show = command({
  name: 'show',
  summary: 'one account',
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
  summary: 'change an account',
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
  summary: 'delete an account with all that it has, and the people who belong to no other',
  args,
  flags: { yes: { help: 'do not ask: it cannot be undone' } },
  details: 'Write it to a file first: goldmaster admin export ACCOUNT. A run that broke off is simply started again.',
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
  summary: 'who pays: plan, trial, credits',
  commands: [add, list, show, set, remove],
}
