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
    help: `none for everything, or a list, groups as build_run.*: ${EVENT_TYPES.join(', ')}`,
    value: 'types',
    read: orNone(eventTypes),
  },
  project: { help: 'only what happens there, or none for all of the account', value: 'project', read: orNone(id) },
} as const
const url = { help: 'where messages go', value: 'url', read: words } as const
const args = { webhook: { help: 'its id', read: id } }

const fieldsOf = ({ events, project }: GivenFlags<typeof flags>) => ({
  event_types: events === 'none' ? [] : events,
  project_id: nullIfNone(project),
})

const add = command({
  name: 'add',
  summary: 'tell an address what happens from now on; prints the secret messages are signed with',
  flags: {
    account: { help: 'whose: its id', value: 'account', read: accountId, required: true },
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
  summary: 'all webhooks, or those of an account',
  flags: { account: { help: 'its id', value: 'account', read: accountId } },
  examples: ['admin webhook list --account 1'],
  async run({ flags, out, store }) {
    const found = await webhooks.list((await store()).db, flags.account)
    out.answer(found, () =>
      out.list('webhooks', found, [
        'id',
        field('account_id', 'account'),
        field('project_id', 'project'),
        'status',
        'waiting',
        extra('failing_since'),
        extra('event_types', 'events'),
        { ...main('url'), ends: true },
      ]),
    )
  },
})

const show = command({
  name: 'show',
  summary: 'one webhook',
  args,
  flags: { secret: { help: 'also print the secret its messages are signed with' } },
  examples: ['admin webhook show 3 --secret'],
  async run({ args: { webhook }, flags, out, store }) {
    const { db, vault } = await store()
    const secret = flags.secret ? { secret: await webhooks.showSecret(db, vault, webhook) } : {}
    out.record({ ...(await webhooks.find(db, webhook)), ...secret })
  },
})

const set = command({
  name: 'set',
  summary: 'change a webhook',
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
  summary: 'send nothing for now; it keeps its place',
  args,
  examples: ['admin webhook pause 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.pause(db, args.webhook)))
  },
})

const resume = command({
  name: 'resume',
  summary: 'go on where it stopped, whether paused or switched off',
  args,
  examples: ['admin webhook resume 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.resume(db, args.webhook)))
  },
})

const rotate = command({
  name: 'rotate',
  summary: 'make a new secret; for a day messages are signed with both',
  args,
  examples: ['admin webhook rotate 3'],
  async run({ args, out, store }) {
    const { change, vault } = await store()
    out.record(await change('webhook', args.webhook, (db) => webhooks.rotateSecret(db, vault, args.webhook)))
  },
})

const remove = command({
  name: 'remove',
  summary: 'forget a webhook, its queue and its log',
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
  summary: 'who is told what happens in an account',
  commands: [add, list, show, set, pause, resume, rotate, remove, log, replay],
}
