import { DELIVERY_OUTCOMES } from '../contract/sets.ts'
import * as log from '../domain/integrations/delivery-log.ts'
import { failingJobs, health as healthOf } from '../domain/integrations/health.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { replay as replayDelivery } from '../intake/replay.ts'
import { showDelivery } from '../intake/show-delivery.ts'
import { testDelivery } from '../intake/test-delivery.ts'
import type { Noun } from '../terminal/command.ts'
import { extra, field, main } from '../terminal/table.ts'
import { count, id, time, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const args = { delivery: { help: 'its id', read: count } }
const project = { help: 'only of this project', value: 'project', read: id } as const

const list = command({
  name: 'list',
  summary: 'deliveries, newest first',
  flags: {
    project,
    integration: { help: 'only of this integration', value: 'integration', read: id },
    outcome: { help: 'only with this outcome', value: 'outcome', values: DELIVERY_OUTCOMES },
    event: { help: 'only of this event, in the words of the tool', value: 'event', read: words },
    since: { help: 'only from then on, ISO 8601', value: 'time', read: time },
    until: { help: 'only before then, ISO 8601', value: 'time', read: time },
    before: { help: 'go on after the last one shown', value: 'delivery', read: count },
    limit: { help: 'how many at most (default: 50)', value: 'count', read: count },
  },
  rows: 'deliveries',
  examples: ['admin deliveries list --integration 2 --outcome failed'],
  async run({ flags: { project, integration, ...filter }, out, store }) {
    const { db } = await store()
    const page = await log.list(db, { ...filter, project_id: project, integration_id: integration })
    out.answer(page, () => {
      out.list('deliveries', page.deliveries, [
        'id',
        'received_at',
        'provider',
        field('event'),
        'outcome',
        extra('status'),
        extra('milliseconds', 'ms'),
        main('message'),
      ])
      if (page.has_more) out.note(`There are more: --before ${page.deliveries.at(-1)!.id}`)
    })
  },
})

const show = command({
  name: 'show',
  summary: 'one delivery with its headers and body; addresses are reduced, secrets left out',
  args,
  examples: ['admin deliveries show 4711'],
  async run({ args, out, store }) {
    const found = await showDelivery((await store()).db, args.delivery)
    out.answer(found, () => {
      const { body, ...facts } = found
      out.facts(facts)
      out.prose(body ?? '(no longer kept)')
    })
  },
})

const replay = command({
  name: 'replay',
  summary: 'take a delivery in once more',
  args,
  examples: ['admin deliveries replay 4711'],
  async run({ args, out, store }) {
    const { db, change } = await store()
    out.record(await change('delivery', args.delivery, () => replayDelivery(db, args.delivery), { detached: true }))
  },
})

const test = command({
  name: 'test',
  summary: 'send a delivery as the tool of an integration would, and take back what it makes',
  args: { integration: { help: 'its id', read: id } },
  examples: ['admin deliveries test 2'],
  async run({ args: { integration }, out, store }) {
    const { db, change } = await store()
    const delivered = await change('integration', integration, () => testDelivery(db, integration), { detached: true })
    const { active } = await integrations.find(db, integration)
    out.answer({ ...delivered, active }, () => {
      out.facts({ ...delivered })
      if (!active)
        out.line(
          `The integration is inactive: the tool itself would be refused. goldmaster admin integration activate ${integration}`,
        )
    })
  },
})

const health = command({
  name: 'health',
  summary: 'which tools speak, and how much of it was understood in the last 24 hours',
  flags: { project },
  examples: ['admin deliveries health'],
  async run({ flags, out, store }) {
    const { db } = await store()
    const [tools, failing_jobs] = [await healthOf(db, flags.project), await failingJobs(db)]
    out.answer({ integrations: tools, failing_jobs }, () => {
      out.list('integrations', tools, [
        field('integration_id', 'id'),
        field('project_id', 'project'),
        main('provider'),
        'active',
        field('last_delivery_at', 'last'),
        field('last_outcome', 'outcome'),
        field('deliveries', '24 h'),
        'failed',
        extra('failing_jobs', 'failing jobs'),
      ])
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
  summary: 'what tools told, and what became of it',
  commands: [list, show, replay, test, health],
}
