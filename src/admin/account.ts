import { PLANS } from '../contract/sets.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import { newAccount } from '../domain/accounts/metering.ts'
import type { Noun } from '../terminal/command.ts'
import type { GivenFlags } from '../terminal/flags.ts'
import { main } from '../terminal/table.ts'
import { accountId, count, nullIfNone, orNone, time, timezone, words, yesOrNo } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const flags = {
  plan: { help: 'what the account pays for', value: 'plan', values: PLANS },
  timezone: { help: 'such as Europe/Oslo', value: 'zone', read: timezone },
  trial_ends_at: { help: 'ISO 8601, or none', value: 'time', read: orNone(time) },
  payment_method: { help: 'whether one is on record; yes opens a lapsed trial at once', value: 'yes|no', read: yesOrNo },
  demo: { help: 'a demo account is read-only', value: 'yes|no', read: yesOrNo },
  credits: { help: 'investigations it may still start, or none for not counted', value: 'count', read: orNone(count) },
  daily_limit: { help: 'investigations a day, or none for what the plan gives', value: 'count', read: orNone(count) },
} as const
const name = { help: 'what it is called', value: 'name', read: words } as const
const args = { account: { help: 'its id', read: accountId } }

const fieldsOf = ({ trial_ends_at, credits, daily_limit, ...fields }: GivenFlags<typeof flags>) => ({
  ...fields,
  trial_ends_at: nullIfNone(trial_ends_at),
  credits: nullIfNone(credits),
  daily_limit: nullIfNone(daily_limit),
})

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

const add = command({
  name: 'add',
  summary: 'make an account; what is not given is enterprise and not counted, unless METERING is on',
  flags: { name: { ...name, required: true }, ...flags },
  examples: ['admin account add --name "Night Owl" --plan studio --credits 100'],
  async run({ flags: { name, ...fields }, out, store }) {
    const { db, metering } = await store()
    out.record(await accounts.create(db, { ...(!metering && newAccount(false)), ...given(fieldsOf(fields)), name }))
  },
})

const list = command({
  name: 'list',
  summary: 'all accounts',
  examples: ['admin account list'],
  async run({ out, store }) {
    const found = await accounts.list((await store()).db)
    out.answer(found, () =>
      out.list('accounts', found, ['id', main('name'), 'plan', 'credits', 'read_only', 'members', 'projects']),
    )
  },
})

const show = command({
  name: 'show',
  summary: 'one account',
  args,
  examples: ['admin account show 1'],
  run: async ({ args, out, store }) => out.record(await accounts.find((await store()).db, args.account)),
})

const set = command({
  name: 'set',
  summary: 'change an account',
  args,
  flags: { name, ...flags },
  examples: ['admin account set 1 --payment-method yes --credits 200'],
  async run({ args, flags: { name, ...fields }, out, store }) {
    out.record(await accounts.edit((await store()).db, args.account, { name, ...fieldsOf(fields) }))
  },
})

export const account: Noun<AdminCommand> = {
  name: 'account',
  summary: 'who pays: plan, trial, credits',
  commands: [add, list, show, set],
}
