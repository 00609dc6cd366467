import { EVENT_TYPES } from '../contract/events.ts'
import * as webhooks from '../domain/webhooks/webhooks.ts'
import type { Noun } from '../terminal/command.ts'
import type { GivenFlags } from '../terminal/flags.ts'
import { extra, field, main } from '../terminal/table.ts'
import { accountId, id, nullIfNone, orNone, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { log, replay } from './webhook-log.ts'

/** Stored as written: a group also covers future types. */
const eventTypes = (text: string): string[] => webhooks.readTypes(text.split(','))

const flags = {
  events: {
    help: `Event types, such as build_run.*,approval.requested; none for all, or a list of: ${EVENT_TYPES.join(', ')}`,
    value: 'types',
    read: orNone(eventTypes),
  },
  project: { help: 'Only events of this project id, or none for the whole account', value: 'project', read: orNone(id) },
} as const
const url = { help: 'URL that receives the messages', value: 'url', read: words } as const
const args = { webhook: { help: 'Webhook id', read: id } }

const fieldsOf = ({ events, project }: GivenFlags<typeof flags>) => ({
  event_types: events === 'none' ? [] : events,
  project_id: nullIfNone(project),
})

const add = command({
  name: 'add',
  summary: 'Create a webhook; prints the secret that signs messages',
  flags: {
    account: { help: 'Account id', value: 'account', read: accountId, required: true },
    url: { ...url, required: true },
    ...flags,
  },
  examples: ['admin webhook add --account 1 --url https://hooks.example.com/gold --events build_run.failed,approval.*'],
  async run({ flags: { account, url, ...fields }, out, store }) {
    const { change, vault } = await store()
    const asked = { ...fieldsOf(fields), url, account_id: account }
    out.record(await change('webhook', undefined, (db) => webhooks.create(db, vault, asked)))
  },
})

const list = command({
  name: 'list',
  summary: 'List all webhooks, or those of an account',
  flags: { account: { help: 'Filter by account id', value: 'account', read: accountId } },
  examples: ['admin webhook list --account 1'],
  async run({ flags, out, store }) {
    const found = await webhooks.list((await store()).db, flags.account)
    out.answer(found, () =>
      out.list(
        'webhooks',
        found,
        [
          'id',
          field('account_id', 'account'),
          field('project_id', 'project'),
          'status',
          'waiting',
          extra('failing_since'),
          extra('event_types', 'events'),
          { ...main('url'), ends: true },
        ],
        'Create one with goldmaster admin webhook add.',
      ),
    )
  },
})

const show = command({
  name: 'show',
  summary: 'Show a webhook',
  args,
  flags: { secret: { help: 'Also print the signing secret' } },
  examples: ['admin webhook show 3 --secret'],
  async run({ args: { webhook }, flags, out, store }) {
    const { db, vault } = await store()
    const secret = flags.secret ? { secret: await webhooks.showSecret(db, vault, webhook) } : {}
    out.record({ ...(await webhooks.find(db, webhook)), ...secret })
  },
})

const set = command({
  name: 'set',
  summary: 'Change the URL, events or project of a webhook',
  args,
  flags: { url, ...flags },
  examples: ['admin webhook set 3 --events deployment.*,build_run.failed --project none'],
  async run({ args, flags: { url, ...fields }, out, store }) {
    const { change } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.edit(db, args.webhook, { url, ...fieldsOf(fields) })))
  },
})

const pause = command({
  name: 'pause',
  summary: 'Pause a webhook; events are kept until you resume it',
  args,
  examples: ['admin webhook pause 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.pause(db, args.webhook)))
  },
})

const resume = command({
  name: 'resume',
  summary: 'Resume a paused or disabled webhook where it stopped',
  args,
  examples: ['admin webhook resume 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.resume(db, args.webhook)))
  },
})

const rotate = command({
  name: 'rotate',
  summary: 'Replace the secret; the old one stays valid for a day',
  args,
  examples: ['admin webhook rotate 3'],
  async run({ args, out, store }) {
    const { change, vault } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.rotateSecret(db, vault, args.webhook)))
  },
})

const remove = command({
  name: 'remove',
  summary: 'Delete a webhook, its pending messages and its log',
  args,
  examples: ['admin webhook remove 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('webhook', args.webhook, (db) => webhooks.remove(db, args.webhook))
    out.record({ id: args.webhook, removed: true })
  },
})

export const webhook: Noun<AdminCommand> = {
  name: 'webhook',
  summary: 'Create, change, pause and replay outbound webhooks',
  commands: [add, list, show, set, pause, resume, rotate, remove, log, replay],
}
