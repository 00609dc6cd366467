import { type Command, Option } from 'commander'
import { PLANS, type Plan } from '../contract/sets.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import { newAccount } from '../domain/accounts/metering.ts'
import { accountId, count, nullIfNone, orNone, time, timezone, words, yesOrNo } from './arguments.ts'
import { type OutputOptions, printMany, printOne } from './output.ts'
import { type Open, using } from './store.ts'

interface Flags extends OutputOptions {
  name?: string
  plan?: Plan
  timezone?: string
  trialEndsAt?: string
  paymentMethod?: boolean
  demo?: boolean
  credits?: number | 'none'
  dailyLimit?: number | 'none'
}

const fieldsOf = ({ name, plan, timezone, trialEndsAt, paymentMethod, demo, credits, dailyLimit }: Flags) => ({
  name,
  plan,
  timezone,
  trial_ends_at: nullIfNone(trialEndsAt),
  payment_method: paymentMethod,
  demo,
  credits: nullIfNone(credits),
  daily_limit: nullIfNone(dailyLimit),
})

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

const withFields = (command: Command) =>
  command
    .addOption(new Option('--plan <plan>', 'what the account pays for').choices(PLANS))
    .option('--timezone <zone>', 'such as Europe/Oslo', timezone)
    .option('--trial-ends-at <time>', 'ISO 8601, or none', orNone(time))
    .option('--payment-method <yes|no>', 'whether one is on record; yes opens a lapsed trial at once', yesOrNo)
    .option('--demo <yes|no>', 'a demo account is read-only', yesOrNo)
    .option('--credits <count>', 'investigations it may still start, or none for not counted', orNone(count))
    .option('--daily-limit <count>', 'investigations a day, or none for what the plan gives', orNone(count))
    .option('--json', 'print JSON')

export function account(admin: Command, open: Open) {
  const noun = admin.command('account').description('who pays: plan, trial, credits')

  withFields(
    noun
      .command('add')
      .description('make an account; what is not given is enterprise and not counted, unless METERING is on')
      .requiredOption('--name <name>', 'what it is called', words),
  )
    .addHelpText('after', '\nExample:\n  goldmaster admin account add --name "Night Owl" --plan studio --credits 100')
    .action((flags: Flags & { name: string }) =>
      using(open, async ({ db, metering }) => {
        const made = await accounts.create(db, {
          ...(!metering && newAccount(false)),
          ...given(fieldsOf(flags)),
          name: flags.name,
        })
        printOne(made, flags)
      }),
    )

  noun
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin account list')
    .action((flags: OutputOptions) =>
      using(open, async ({ db }) =>
        printMany(await accounts.list(db), ['id', 'name', 'plan', 'credits', 'read_only', 'members', 'projects'], flags),
      ),
    )

  noun
    .command('show')
    .description('one account')
    .argument('<account>', 'its id', accountId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin account show 1')
    .action((id: number, flags: OutputOptions) => using(open, async ({ db }) => printOne(await accounts.find(db, id), flags)))

  withFields(
    noun
      .command('set')
      .description('change an account')
      .argument('<account>', 'its id', accountId)
      .option('--name <name>', 'what it is called', words),
  )
    .addHelpText('after', '\nExample:\n  goldmaster admin account set 1 --payment-method yes --credits 200')
    .action((id: number, flags: Flags) =>
      using(open, async ({ db }) => printOne(await accounts.edit(db, id, fieldsOf(flags)), flags)),
    )
}
