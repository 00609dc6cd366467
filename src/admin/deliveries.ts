import { type Command, Option } from 'commander'
import { DELIVERY_OUTCOMES, type DeliveryOutcome } from '../contract/sets.ts'
import * as log from '../domain/integrations/delivery-log.ts'
import { failingJobs, health } from '../domain/integrations/health.ts'
import { replay } from '../intake/replay.ts'
import { showDelivery } from '../intake/show-delivery.ts'
import { testDelivery } from '../intake/test-delivery.ts'
import { count, id, time, words } from './arguments.ts'
import { type OutputOptions, printJson, printMany, printOne } from './output.ts'
import { type Open, using } from './store.ts'

interface ListFlags extends OutputOptions {
  project?: number
  integration?: number
  outcome?: DeliveryOutcome
  event?: string
  since?: string
  until?: string
  before?: number
  limit?: number
}

export function deliveries(admin: Command, open: Open) {
  const noun = admin.command('deliveries').description('what tools told, and what became of it')

  noun
    .command('list')
    .description('deliveries, newest first')
    .option('--project <project>', 'only of this project', id)
    .option('--integration <integration>', 'only of this integration', id)
    .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(DELIVERY_OUTCOMES))
    .option('--event <event>', 'only of this event, in the words of the tool', words)
    .option('--since <time>', 'only from then on, ISO 8601', time)
    .option('--until <time>', 'only before then, ISO 8601', time)
    .option('--before <delivery>', 'go on after the last one shown', count)
    .option('--limit <count>', 'how many at most (default: 50)', count)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin deliveries list --integration 2 --outcome failed')
    .action(({ project, integration, json, ...filter }: ListFlags) =>
      using(open, async ({ db }) => {
        const page = await log.list(db, { ...filter, project_id: project, integration_id: integration })
        if (json) return printJson(page)
        printMany(page.deliveries, ['id', 'received_at', 'provider', 'event', 'outcome', 'status', 'milliseconds', 'message'], {})
        if (page.has_more) process.stderr.write(`There are more: --before ${page.deliveries.at(-1)!.id}\n`)
      }),
    )

  noun
    .command('show')
    .description('one delivery with its headers and body; addresses are reduced, secrets left out')
    .argument('<delivery>', 'its id', count)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin deliveries show 4711')
    .action((delivery: number, flags: OutputOptions) =>
      using(open, async ({ db }) => {
        const { body, ...shown } = await showDelivery(db, delivery)
        printOne(flags.json ? { ...shown, body } : shown, flags)
        // Whatever a tool sent, the terminal gets no control characters from it.
        if (!flags.json) process.stdout.write(`\n${(body ?? '(no longer kept)').replace(/[^\P{Cc}\n\t]/gu, ' ')}\n`)
      }),
    )

  noun
    .command('replay')
    .description('take a delivery in once more')
    .argument('<delivery>', 'its id', count)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin deliveries replay 4711')
    .action((delivery: number, flags: OutputOptions) =>
      using(open, async ({ db }) => printOne(await replay(db, delivery), flags)),
    )

  noun
    .command('test')
    .description('send a delivery as the tool of an integration would; it makes a record in the project')
    .argument('<integration>', 'its id', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin deliveries test 2')
    .action((integration: number, flags: OutputOptions) =>
      using(open, async ({ db }) => printOne(await testDelivery(db, integration), flags)),
    )

  noun
    .command('health')
    .description('which tools speak, and how much of it was understood in the last 24 hours')
    .option('--project <project>', 'only of this project', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin deliveries health')
    .action(({ project, json }: OutputOptions & { project?: number }) =>
      using(open, async ({ db }) => {
        const [integrations, failing_jobs] = [await health(db, project), await failingJobs(db)]
        if (json) return printJson({ integrations, failing_jobs })
        printMany(
          integrations,
          [
            'integration_id',
            'project_id',
            'provider',
            'active',
            'last_delivery_at',
            'last_outcome',
            'deliveries',
            'failed',
            'failing_jobs',
          ],
          {},
        )
        if (failing_jobs.length > 0) process.stdout.write('\n')
        if (failing_jobs.length > 0)
          printMany(failing_jobs, ['kind', 'integration_id', 'payload', 'attempts', 'next_try_at', 'error'], {})
      }),
    )
}
