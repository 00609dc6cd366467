import type { Event, Rollup } from '../../contract/shapes.ts'
import { usage } from '../../terminal/failures.ts'
import type { Flags } from '../../terminal/flags.ts'
import type { Output } from '../../terminal/output.ts'
import { type Column, field, main } from '../../terminal/table.ts'
import { clean, cut } from '../../terminal/text.ts'
import { paintWord } from '../../terminal/values.ts'
import { follow } from '../connection/event-stream.ts'
import type { Call } from '../program/call.ts'
import { command } from '../program/command.ts'
import { asQuery, filtersOf, limitFlag, USUAL_ROWS } from '../program/filters.ts'
import { collect, type Page } from '../program/paging.ts'
import { SUMMARIES } from '../summaries.ts'

const filters = filtersOf('listEvents', {
  days_back: 'Days to look back, up to 90 (default: 7)',
  event_type: 'Filter by event types, such as build_run.failed or approval.*',
})
/** The message contains the actor; programs get both separately as well. */
const forPeople = (oneProject: boolean): Column<Event>[] => [
  field('timestamp', 'time'),
  'status',
  ...(oneProject ? [] : [field('project_name', 'project')]),
  main('message'),
]
const FOR_PROGRAMS: Column<Event>[] = ['timestamp', 'status', 'project_name', 'event_type', 'message', 'actor']

const tellRollup = (out: Output, now: Rollup) =>
  out.note(
    `24 h: ${now.changes_24h} changes, ${now.builds_passed_24h} builds passed, ${now.builds_failed_24h} failed · ` +
      `${now.open_tasks} open tasks · ${now.active_projects} of ${now.total_projects} projects active`,
  )

/** One line per event: a table cannot be aligned with future rows. */
function tellEvent(out: Output, event: Event) {
  if (out.wantsDocument) return out.answerRow(event, () => {})
  if (!out.forPeople) return out.table([event], FOR_PROGRAMS)
  const text = `${event.timestamp.slice(11, 19)}  ${clean(event.project_name)}  ${clean(event.message)}`
  out.line(paintWord(out.paint, event.status, cut(text, out.width)))
}

/** Past events are printed first, oldest first; the stream is already open, so that nothing is missed in between. */
async function followFeed(call: Pick<Call, 'client' | 'site' | 'token' | 'out'>, query: Record<string, string>, limit: number) {
  const { client, site, token, out } = call
  const { days_back, since, ...streamed } = query
  const shown = new Set<string>()
  await follow({
    site,
    token,
    query: streamed,
    async connected(again) {
      if (again) return out.note('Reconnected.')
      const page = (await client.listEvents({ query: { ...query, limit: Math.min(limit, 50) } })).events
      for (const event of page.reverse()) {
        shown.add(event.cursor_key)
        tellEvent(out, event)
      }
    },
    event(event) {
      if (!shown.delete(event.cursor_key)) tellEvent(out, event)
    },
    missed: () =>
      out.note('Some events are missing here: the connection was lost for too long. To see them, run: goldmaster feed'),
    note: (text) => out.note(text),
  })
}

export const feed = command({
  name: 'feed',
  summary: SUMMARIES.feed,
  flags: {
    ...(filters as Flags & { since: { help: string; value: 'time' } }),
    project: { help: 'Only events of this project', value: 'id' },
    account: { help: 'Account id (default: your default account)', value: 'id' },
    ...limitFlag,
    follow: { help: 'Keep printing new events, oldest first, until you press Ctrl+C', short: 'F' },
  },
  pages: true,
  web: () => '/feed',
  shows: { route: 'listEvents', rows: 'events' },
  details: 'With --follow, --json prints one JSON object per line.',
  examples: [
    'feed',
    "feed --event-type 'build_run.failed,approval.*' --days-back 30",
    'feed --follow --project 1',
    'feed --follow --event-type build_run.failed --pick message',
  ],
  async run(call) {
    const { client, flags, out } = call
    const { project, account, limit } = flags
    const query: Record<string, string> = asQuery(filters, flags)
    if (project !== undefined) query.project_id = project
    if (account !== undefined) query.account_id = account
    if (flags.since && query.days_back) throw usage('Use --since or --days-back, not both')
    if (flags.follow) await out.release()
    if (flags.follow) return followFeed(call, query, limit ?? 10)
    const page = await collect(
      (paging) => client.listEvents({ query: { ...query, ...paging } }) as Promise<Page>,
      'events',
      limit ?? USUAL_ROWS,
    )
    const events = page.events as Event[]
    out.answer(page, () => {
      if (page.rollup) tellRollup(out, page.rollup as Rollup)
      if (events.length > 0) out.table(events, out.forPeople ? forPeople(project !== undefined) : FOR_PROGRAMS)
      else out.note('No events in this period. To look further back, add --days-back 90')
      if (page.pagination.has_more) out.note(`There are more. To see them, add --limit ${events.length * 2}`)
    })
  },
})
