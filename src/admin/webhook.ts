import { type Command, InvalidArgumentError, Option } from 'commander'
import * as params from '../contract/params.ts'
import { EVENT_TYPES, OUTGOING_STATUSES } from '../contract/sets.ts'
import * as log from '../domain/notifications/outgoing-log.ts'
import * as subscriptions from '../domain/notifications/subscriptions.ts'
import { accountId, count, id, nullIfNone, orNone, time, words } from './arguments.ts'
import { type OutputOptions, printMany, printOne } from './output.ts'
import { type Open, using } from './store.ts'

interface Flags extends OutputOptions {
  account?: number
  url?: string
  events?: string[] | 'none'
  project?: number | 'none'
}

/** Kept as written: a group also stands for what joins it later. */
const eventTypes = (text: string): string[] => {
  try {
    params.eventTypes.read('events', text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return text.split(',')
}

const fieldsOf = ({ url, events, project }: Flags) => ({
  url,
  event_types: events === 'none' ? [] : events,
  project_id: nullIfNone(project),
})

const withFields = (command: Command) =>
  command
    .option(
      '--events <types>',
      `none for everything, or a list, groups as build_run.*: ${EVENT_TYPES.join(', ')}`,
      orNone(eventTypes),
    )
    .option('--project <project>', 'only what happens there, or none for all of the account', orNone(id))
    .option('--json', 'print JSON')

export function webhook(admin: Command, open: Open) {
  const noun = admin.command('webhook').description('who is told what happens in an account')
  const named = (verb: string, description: string) =>
    noun.command(verb).description(description).argument('<webhook>', 'its id', id).option('--json', 'print JSON')

  withFields(
    noun
      .command('add')
      .description('tell an address what happens from now on; prints the secret messages are signed with')
      .requiredOption('--account <account>', 'whose: its id', accountId)
      .requiredOption('--url <url>', 'where messages go', words),
  )
    .addHelpText(
      'after',
      '\nExample:\n  goldmaster admin webhook add --account 1 --url https://hooks.example.com/gold --events build_run.failed,approval.*',
    )
    .action((flags: Flags & { account: number; url: string }) =>
      using(open, async ({ db, vault }) => {
        const { url, account } = flags
        printOne(await subscriptions.create(db, vault, { ...fieldsOf(flags), url, account_id: account }), flags)
      }),
    )

  noun
    .command('list')
    .description('all webhooks, or those of an account')
    .option('--account <account>', 'its id', accountId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook list --account 1')
    .action((flags: OutputOptions & { account?: number }) =>
      using(open, async ({ db }) => {
        const columns = ['id', 'account_id', 'project_id', 'status', 'waiting', 'failing_since', 'event_types', 'url'] as const
        printMany(await subscriptions.list(db, flags.account), [...columns], flags)
      }),
    )

  named('show', 'one webhook')
    .option('--secret', 'also print the secret its messages are signed with')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook show 3 --secret')
    .action((webhookId: number, flags: OutputOptions & { secret?: boolean }) =>
      using(open, async ({ db, vault }) => {
        const secret = flags.secret ? { secret: await subscriptions.showSecret(db, vault, webhookId) } : {}
        printOne({ ...(await subscriptions.find(db, webhookId)), ...secret }, flags)
      }),
    )

  withFields(
    noun
      .command('set')
      .description('change a webhook')
      .argument('<webhook>', 'its id', id)
      .option('--url <url>', 'where messages go', words),
  )
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook set 3 --events deployment.*,build_run.failed --project none')
    .action((webhookId: number, flags: Flags) =>
      using(open, async ({ db }) => printOne(await subscriptions.edit(db, webhookId, fieldsOf(flags)), flags)),
    )

  named('pause', 'send nothing for now; it keeps its place')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook pause 3')
    .action((webhookId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => printOne(await subscriptions.pause(db, webhookId), flags)),
    )

  named('resume', 'go on where it stopped, whether paused or switched off')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook resume 3')
    .action((webhookId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => printOne(await subscriptions.resume(db, webhookId), flags)),
    )

  named('rotate', 'make a new secret; for a day messages are signed with both')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook rotate 3')
    .action((webhookId: number, flags: OutputOptions) =>
      using(open, async ({ db, vault }) => printOne(await subscriptions.rotateSecret(db, vault, webhookId), flags)),
    )

  named('remove', 'forget a webhook, its queue and its log')
    .addHelpText('after', '\nExample:\n  goldmaster admin webhook remove 3')
    .action((webhookId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => {
        await subscriptions.remove(db, webhookId)
        printOne({ id: webhookId, removed: true }, flags)
      }),
    )

  named('log', 'its deliveries, newest first, or every attempt at one of them')
    .argument('[delivery]', 'such as msg_2f0c…')
    .addOption(new Option('--status <status>', 'only these').choices(OUTGOING_STATUSES))
    .option('--before <position>', 'go on after the last one shown', count)
    .option('--limit <count>', 'how many', count, 50)
    .addHelpText(
      'after',
      '\nExamples:\n  goldmaster admin webhook log 3 --status failed\n  goldmaster admin webhook log 3 msg_2f0c… --json',
    )
    .action((webhookId: number, delivery: string | undefined, flags: OutputOptions & log.Filter) =>
      using(open, async ({ db }) => {
        await subscriptions.find(db, webhookId)
        if (delivery === undefined) {
          const { deliveries, has_more } = await log.list(db, webhookId, flags)
          printMany(deliveries, ['id', 'event_type', 'status', 'tries', 'answer', 'error', 'next_at', 'finished_at'], flags)
          if (has_more) process.stderr.write(`There are more: --before ${deliveries.at(-1)!.position}\n`)
          return
        }
        const found = await log.find(db, webhookId, delivery)
        if (flags.json) printOne(found, flags)
        else printMany(found.attempts, ['at', 'status', 'milliseconds', 'error', 'response'], flags)
      }),
    )

  named('replay', 'send again: one delivery, or all that were given up since a time')
    .argument('[delivery]', 'such as msg_2f0c…')
    .option('--failed-since <time>', 'all that were given up since then, ISO 8601', time)
    .addHelpText(
      'after',
      '\nExamples:\n  goldmaster admin webhook replay 3 msg_2f0c…\n  goldmaster admin webhook replay 3 --failed-since 2026-03-01T08:00:00Z',
    )
    .action(
      (webhookId: number, delivery: string | undefined, flags: OutputOptions & { failedSince?: string }, command: Command) => {
        const { failedSince } = flags
        if ((delivery === undefined) === (failedSince === undefined))
          command.error('error: name a delivery, or give --failed-since')
        return using(open, async ({ db }) => {
          await subscriptions.find(db, webhookId)
          const replayed =
            delivery === undefined
              ? await log.replayFailed(db, webhookId, failedSince!)
              : await log.replay(db, webhookId, delivery)
          printOne({ id: webhookId, replayed }, flags)
        })
      },
    )
}
