import { VERSION } from '../contract/version.ts'
import * as status from '../domain/operations/status.ts'
import { command } from './command.ts'

const MEGABYTE = 1_000_000
const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE)
const seconds = (exact: number) => Math.round(exact)

export const showStatus = command({
  name: 'status',
  summary: 'how the service is: nodes, queue, channels and webhooks, sizes',
  details:
    'Nodes are machines with open connections to the database. Overdue: by how many seconds the oldest row is older than its retention; up to an hour is normal. The version is that of this command.',
  examples: ['admin status', 'admin status --json'],
  async run({ out, store }) {
    const { db, retention } = await store()
    const [schema, sessions, backlog, overdue, sizes, jobs, destinations] = await Promise.all([
      status.readSchema(db),
      status.readSessions(db),
      status.readBacklog(db),
      status.readOverdue(db, retention),
      status.readSizes(db),
      status.countJobs(db),
      status.countDestinations(db),
    ])
    const facts = {
      version: VERSION,
      schema,
      nodes: sessions!.nodes,
      connections: sessions!.connections,
      longest_statement_seconds: seconds(sessions!.longest_statement),
      oldest_job_seconds: seconds(backlog!.oldest_job),
      event_lag_seconds: seconds(backlog!.outbox),
      webhook_lag_seconds: seconds(backlog!.outbound),
      silent_servers: backlog!.silent_servers,
      unsent_mails: backlog!.mails,
      deliveries_overdue_seconds: seconds(overdue!.deliveries),
      events_overdue_seconds: seconds(overdue!.outbox),
      database_megabytes: megabytes(sizes.bytes),
    }
    const tables = sizes.tables.map(({ table, bytes }) => ({ table, megabytes: megabytes(bytes) }))
    out.answer({ ...facts, jobs, destinations, tables }, () => {
      out.facts(facts)
      out.section('Jobs', jobs, ['kind', 'state', 'count'])
      out.section('Channels and webhooks', destinations, ['kind', 'status', 'count', 'failing'])
      out.section('Largest tables', tables, ['table', 'megabytes'])
    })
  },
})
