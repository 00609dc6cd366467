import { DELIVERY_OUTCOMES } from '../contract/sets.ts'
import * as log from '../domain/integrations/delivery-log.ts'
import { failingJobs, health as healthOf } from '../domain/integrations/health.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { replay as replayDelivery } from '../intake/deliveries/replay.ts'
import { showDelivery } from '../intake/deliveries/show-delivery.ts'
import { testDelivery } from '../intake/deliveries/test-delivery.ts'
import type { Noun } from '../terminal/command.ts'
import { extra, field, main } from '../terminal/table.ts'
import { count, id, time, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const args = { delivery: { help: 'Delivery id', read: count } }
const project = { help: 'Filter by project id', value: 'project', read: id } as const

const list = command({
  name: 'list',
  summary: 'List deliveries of connected tools, newest first',
  flags: {
    project,
    integration: { help: 'Filter by integration id', value: 'integration', read: id },
    outcome: { help: 'Filter by outcome', value: 'outcome', values: DELIVERY_OUTCOMES },
    event: { help: 'Filter by event, as the tool names it', value: 'event', read: words },
    since: { help: 'Start time, ISO 8601', value: 'time', read: time },
    until: { help: 'End time, ISO 8601', value: 'time', read: time },
    before: { help: 'Only deliveries before this id; for the next page, the last id shown', value: 'delivery', read: count },
    limit: { help: 'Maximum number of rows (default: 50)', value: 'count', read: count },
  },
  rows: 'deliveries',
  examples: ['admin deliveries list --integration 2 --outcome failed'],
  async run({ flags: { project, integration, ...filter }, out, store }) {
    const { db } = await store()
    const page = await log.list(db, { ...filter, project_id: project, integration_id: integration })
    out.answer(page, () => {
      out.list(
        'deliveries',
        page.deliveries,
        [
          'id',
          'received_at',
          'provider',
          field('event'),
          'outcome',
          extra('status'),
          extra('milliseconds', 'ms'),
          extra('waited_milliseconds', 'waited ms'),
          main('message'),
        ],
        'If you use filters, remove some. To send a test delivery, run: goldmaster admin deliveries test INTEGRATION',
      )
      if (page.has_more) out.note(`There are more. To see them, add --before ${page.deliveries.at(-1)!.id}`)
    })
  },
})

const show = command({
  name: 'show',
  summary: 'Show a delivery with headers and body, without secrets',
  args,
  examples: ['admin deliveries show 12'],
  async run({ args, out, store }) {
    const found = await showDelivery((await store()).db, args.delivery)
    out.answer(found, () => {
      const { body, ...facts } = found
      out.facts(facts)
      out.prose(body ?? '(deleted: older than its retention)')
    })
  },
})

const replay = command({
  name: 'replay',
  summary: 'Process a delivery again',
  args,
  examples: ['admin deliveries replay 12'],
  async run({ args, out, store }) {
    const { db, change } = await store()
    out.record(await change('delivery', args.delivery, () => replayDelivery(db, args.delivery), { detached: true }))
  },
})

const test = command({
  name: 'test',
  summary: 'Send a test delivery and undo what it creates',
  args: { integration: { help: 'Integration id', read: id } },
  examples: ['admin deliveries test 2'],
  async run({ args: { integration }, out, store }) {
    const { db, change } = await store()
    const delivered = await change('integration', integration, () => testDelivery(db, integration), { detached: true })
    const { active } = await integrations.find(db, integration)
    out.answer({ ...delivered, active }, () => {
      out.facts({ ...delivered })
      if (!active)
        out.line(
          `The integration is inactive, so deliveries of the tool are refused. To activate it, run: goldmaster admin integration activate ${integration}`,
        )
    })
  },
})

const health = command({
  name: 'health',
  summary: 'Show which tools deliver, and failures in the last 24 h',
  flags: { project },
  examples: ['admin deliveries health'],
  async run({ flags, out, store }) {
    const { db } = await store()
    const [tools, failing_jobs] = [await healthOf(db, flags.project), await failingJobs(db)]
    out.answer({ integrations: tools, failing_jobs }, () => {
      out.list(
        'integrations',
        tools,
        [
          field('integration_id', 'id'),
          field('project_id', 'project'),
          main('provider'),
          'active',
          field('last_delivery_at', 'last'),
          field('last_outcome', 'outcome'),
          field('deliveries', '24 h'),
          'failed',
          extra('failing_jobs', 'failing jobs'),
        ],
        'Connect a tool with goldmaster admin integration add.',
      )
      out.section('Failing jobs', failing_jobs, [
        'kind',
        field('integration_id', 'tool'),
        extra('payload'),
        'attempts',
        field('next_try_at', 'next'),
        main('error'),
      ])
    })
  },
})

export const deliveries: Noun<AdminCommand> = {
  name: 'deliveries',
  summary: 'List, replay and test deliveries of connected tools',
  commands: [list, show, replay, test, health],
}
