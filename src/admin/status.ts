import { VERSION } from '../contract/version.ts'
import { judged } from '../domain/operations/areas.ts'
import { readStatus } from '../domain/operations/status.ts'
import { durationOf, sizeOf } from '../domain/operations/words.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { command } from './command.ts'

const known = (amount: (value: number) => string) => (value: number | null) => (value === null ? 'not known yet' : amount(value))
const AMOUNTS = {
  count: known((count) => count.toLocaleString('en')),
  seconds: known(durationOf),
  bytes: known(sizeOf),
}

export const showStatus = command({
  name: 'status',
  summary: 'Show the health of the service: nodes, queue, backups',
  details:
    'The web app shows the same under Settings → Service status.\nVersion is the version of this command; each node lists its own. Overdue is how many seconds the oldest row is past its retention; up to an hour is normal. Growth is per day, over the last week.',
  examples: ['admin status', 'admin status --json'],
  async run({ out, store }) {
    const { db, retention } = await store()
    const status = await readStatus(db, { retention })
    const areas = judged(status)
    const figures = areas.flatMap((area) => area.figures)
    const version = { version: VERSION, schema: status.schema }
    const facts = {
      ...version,
      ...Object.fromEntries(figures.map(({ key, value }) => [key, value === null ? null : Math.round(value)])),
    }
    const states = areas.map(({ name, level, text, next }) => ({ name, level, text: scrub(text), next: next && scrub(next) }))
    const { nodes, jobs, lanes, destinations, troubles, failing, refused, slow, sizes, backups } = status
    const lists = { nodes, jobs, lanes, destinations, troubles, failing_accounts: failing, tables: sizes.tables }
    out.answer(
      { ...facts, states, ...lists, refused: refused.most, slow_statements: slow.statements, backups: backups.newest },
      () => {
        out.section('State', states, ['name', 'level', 'text', 'next'])
        out.facts({
          ...version,
          ...Object.fromEntries(figures.map((figure) => [figure.key, AMOUNTS[figure.unit](figure.value)])),
        })
        out.section('Nodes', nodes, ['host', 'versions', 'roles', 'processes', 'seen_at', 'silent_servers'])
        out.section('Jobs', jobs, ['kind', 'state', 'count'])
        out.section('Outgoing messages', lanes, ['lane', 'active', 'waiting'])
        out.section('Channels and webhooks', destinations, ['kind', 'status', 'count', 'failing'])
        out.section('Failing channels and webhooks', troubles, [
          'kind',
          'account',
          'name',
          'status',
          'failing_since',
          'uncertain',
        ])
        out.section('Failing accounts', failing, ['account_id', 'account', 'work', 'failures', 'failing_since', 'error'])
        out.section('Refused requests since yesterday', refused.most, ['account', 'address', 'reason', 'count'])
        out.section('Slow statements', slow.statements, ['mean_ms', 'max_ms', 'calls', 'text'])
        out.section('Largest tables', sizes.tables, ['table', 'bytes'])
        out.section('Backups', backups.newest, ['started_at', 'name', 'status', 'test', 'bytes', 'error'])
      },
    )
  },
})
