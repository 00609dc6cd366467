import { WEBHOOK_MESSAGE_STATUSES } from '../contract/sets.ts'
import * as webhookLog from '../domain/webhooks/webhook-log.ts'
import * as webhooks from '../domain/webhooks/webhooks.ts'
import { usage } from '../terminal/failures.ts'
import { extra, field, main } from '../terminal/table.ts'
import { count, id, time } from './arguments.ts'
import { command } from './command.ts'

const USUAL_ROWS = 50

const args = {
  webhook: { help: 'Webhook id', read: id },
  delivery: { help: 'Delivery id, or its last 8 characters from the list', optional: true },
} as const

export const log = command({
  name: 'log',
  summary: 'List the deliveries of a webhook, or attempts of one',
  args,
  flags: {
    status: { help: 'Filter by status', value: 'status', values: WEBHOOK_MESSAGE_STATUSES },
    before: {
      help: 'Only deliveries before this position; for the next page, the last one shown',
      value: 'position',
      read: count,
    },
    limit: { help: `Maximum number of rows (default: ${USUAL_ROWS})`, value: 'count', read: count },
  },
  examples: ['admin webhook log 3 --status failed', 'admin webhook log 3 2f0c81d4 --json'],
  async run({ args: { webhook, delivery }, flags: { limit = USUAL_ROWS, ...filter }, out, store }) {
    const { db } = await store()
    await webhooks.find(db, webhook)
    if (delivery !== undefined) {
      const found = await webhookLog.find(db, webhook, await webhookLog.idOf(db, webhook, delivery))
      return out.answer(found, () =>
        out.list(
          'attempts',
          found.attempts,
          ['at', 'status', field('milliseconds', 'ms'), main('error'), extra('response')],
          'The delivery is still pending.',
        ),
      )
    }
    const { deliveries, has_more } = await webhookLog.list(db, webhook, { ...filter, limit })
    out.answer(deliveries, () =>
      out.list(
        'deliveries',
        deliveries,
        ['id', field('event_type', 'event'), 'status', 'tries', 'answer', main('error'), extra('next_at'), extra('finished_at')],
        'A delivery appears when an event of the webhook happens.',
      ),
    )
    if (has_more) out.note(`There are more. To see them, add --before ${deliveries.at(-1)!.position}`)
  },
})

export const replay = command({
  name: 'replay',
  summary: 'Send a delivery again, or all failed ones since a time',
  args,
  flags: { failed_since: { help: 'All deliveries that failed since then, ISO 8601', value: 'time', read: time } },
  examples: ['admin webhook replay 3 2f0c81d4', 'admin webhook replay 3 --failed-since 2026-03-01T08:00:00Z'],
  async run({ args: { webhook, delivery }, flags: { failed_since }, out, store }) {
    if ((delivery === undefined) === (failed_since === undefined))
      throw usage('Missing delivery. Pass a delivery id, or --failed-since TIME')
    const { db, change } = await store()
    await webhooks.find(db, webhook)
    const replayed = await change('webhook', webhook, async (db) =>
      delivery === undefined
        ? webhookLog.replayFailed(db, webhook, failed_since!)
        : webhookLog.replay(db, webhook, await webhookLog.idOf(db, webhook, delivery)),
    )
    out.record({ id: webhook, replayed })
  },
})
