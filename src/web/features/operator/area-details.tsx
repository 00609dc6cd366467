import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { labelOf } from '../../../contract/labels.ts'
import { Pill, Status, wordsOf } from '../../ui/pill.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { Time } from '../../ui/text/time.tsx'

export type ServiceStatus = AppReply<'showServiceStatus'>

const Little = ({ children }: { children: ReactNode }) => <span className="text-soft">{children}</span>
const Long = ({ children }: { children: ReactNode }) => <span className="wrap-anywhere">{children}</span>

const NODES: Column<ServiceStatus['nodes'][number]>[] = [
  { head: 'Node', cell: ({ host }) => <Long>{host}</Long> },
  { head: 'Version', cell: ({ versions }) => versions.join(', ') },
  {
    head: 'Runs',
    wide: true,
    cell: ({ roles, processes }) => `${roles.join(', ')}${processes > 1 ? ` (${processes} processes)` : ''}`,
  },
  { head: 'Started', wide: true, cell: ({ started_at }) => <Time at={started_at} /> },
  {
    head: 'Last seen',
    cell: ({ seen_at, vanished }) =>
      vanished ? (
        <Pill kind="warn">
          <Time at={seen_at} />
        </Pill>
      ) : (
        <Time at={seen_at} />
      ),
  },
]

const JOBS: Column<ServiceStatus['jobs'][number]>[] = [
  { head: 'Job', cell: ({ kind }) => <Long>{wordsOf(kind)}</Long> },
  { head: 'State', cell: ({ state }) => <Status of="job_state" value={state} /> },
  { head: 'Count', cell: ({ count }) => numberOf(count) },
]

const LANES: Column<ServiceStatus['lanes'][number]>[] = [
  { head: 'Lane', cell: ({ lane }) => labelOf('lane', lane) },
  { head: 'Busy now', cell: ({ active }) => numberOf(active) },
  { head: 'Pending', cell: ({ waiting }) => (waiting === null ? <Little>not counted</Little> : numberOf(waiting)) },
]

const TROUBLES: Column<ServiceStatus['troubles'][number]>[] = [
  {
    head: 'Name',
    cell: ({ kind, name }) => (
      <Long>
        {name} <Little>{kind}</Little>
      </Long>
    ),
  },
  { head: 'Account', cell: ({ account }) => <Long>{account}</Long> },
  {
    head: 'Status',
    cell: ({ kind, status }) => <Status of={kind === 'channel' ? 'channel_status' : 'subscription_status'} value={status} />,
  },
  {
    head: 'Failing since',
    wide: true,
    cell: ({ failing_since }) => (failing_since ? <Time at={failing_since} /> : <Little>not failing</Little>),
  },
  { head: 'Uncertain messages', wide: true, cell: ({ uncertain }) => numberOf(uncertain) },
]

const FAILING_ACCOUNTS: Column<ServiceStatus['failing_accounts'][number]>[] = [
  { head: 'Account', cell: ({ account, account_id }) => <Long>{account || `#${account_id}`}</Long> },
  { head: 'Work', cell: ({ work }) => <code className="font-mono text-xs">{work}</code> },
  { head: 'Failing since', wide: true, cell: ({ failing_since }) => <Time at={failing_since} /> },
  { head: 'Failures', wide: true, cell: ({ failures }) => numberOf(failures) },
  { head: 'Error', cell: ({ error }) => <Long>{error}</Long> },
]

const REFUSED: Column<ServiceStatus['refused'][number]>[] = [
  { head: 'Account', cell: ({ account }) => (account === null ? <Little>not signed in</Little> : <Long>{account}</Long>) },
  { head: 'Address', cell: ({ address }) => (address === '' ? <Little>other addresses</Little> : <Long>{address}</Long>) },
  { head: 'Limit', wide: true, cell: ({ reason }) => <code className="font-mono text-xs">{reason}</code> },
  { head: 'Refused', cell: ({ count }) => numberOf(count) },
]

const STATEMENTS: Column<ServiceStatus['slow_statements'][number]>[] = [
  { head: 'Statement', cell: ({ text }) => <code className="wrap-anywhere font-mono text-xs">{text}</code> },
  { head: 'Average', cell: ({ mean_ms }) => <span className="whitespace-nowrap">{numberOf(mean_ms)} ms</span> },
  { head: 'Longest', wide: true, cell: ({ max_ms }) => <span className="whitespace-nowrap">{numberOf(max_ms)} ms</span> },
  { head: 'Calls', wide: true, cell: ({ calls }) => numberOf(calls) },
]

const TABLES: Column<ServiceStatus['tables'][number]>[] = [
  { head: 'Table', cell: ({ table }) => <Long>{table}</Long> },
  { head: 'Size', cell: ({ bytes }) => <span className="whitespace-nowrap">{sizeOf(bytes)}</span> },
]

const BACKUPS: Column<ServiceStatus['backups'][number]>[] = [
  { head: 'Created', cell: ({ started_at }) => <Time at={started_at} /> },
  {
    head: 'Result',
    cell: ({ status }) => (
      <Pill kind={status === 'good' ? 'ok' : status === 'failed' ? 'err' : 'info'}>{labelOf('backup_status', status)}</Pill>
    ),
  },
  { head: 'Restore test', wide: true, cell: ({ test }) => (test ? labelOf('backup_test', test) : <Little>none</Little>) },
  {
    head: 'Size',
    wide: true,
    cell: ({ bytes }) => (bytes === null ? <Little>none</Little> : <span className="whitespace-nowrap">{sizeOf(bytes)}</span>),
  },
  { head: 'File', cell: ({ name, error }) => <Long>{error === '' ? name : error}</Long> },
]

/** The list behind an area; if it is empty, the summary is everything. */
export function AreaDetails({ name, status }: { name: string; status: ServiceStatus }) {
  const living = status.nodes.filter(({ vanished }) => !vanished)
  const silent = living.flatMap(({ host, silent_servers }) => silent_servers.map((server) => ({ host, server })))
  switch (name) {
    case 'nodes':
      return <Rows caption="Nodes" rows={status.nodes} columns={NODES} keyOf={({ host }) => host} />
    case 'queue':
      return <Rows caption="Jobs" rows={status.jobs} columns={JOBS} keyOf={({ kind, state }) => `${kind} ${state}`} />
    case 'lanes':
      return <Rows caption="Lanes" rows={status.lanes} columns={LANES} keyOf={({ lane }) => lane} />
    case 'destinations':
      return (
        <Rows
          caption="Failing channels and webhooks"
          rows={status.troubles}
          columns={TROUBLES}
          keyOf={({ kind, account_id, name }) => `${kind} ${account_id} ${name}`}
        />
      )
    case 'accounts':
      return (
        <Rows
          caption="Failing accounts"
          rows={status.failing_accounts}
          columns={FAILING_ACCOUNTS}
          keyOf={({ account_id, work }) => `${account_id} ${work}`}
        />
      )
    case 'breakers':
      return (
        <Rows
          caption="Servers that don't answer"
          rows={silent}
          columns={[
            { head: 'Server', cell: ({ server }) => <Long>{server}</Long> },
            { head: 'Node', cell: ({ host }) => <Long>{host}</Long> },
          ]}
          keyOf={({ host, server }) => `${host} ${server}`}
        />
      )
    case 'refused':
      return (
        <Rows
          caption="Refused requests"
          rows={status.refused}
          columns={REFUSED}
          keyOf={({ account_id, address, reason }) => `${account_id} ${address} ${reason}`}
        />
      )
    case 'statements':
      return <Rows caption="Slow statements" rows={status.slow_statements} columns={STATEMENTS} keyOf={({ text }) => text} />
    case 'storage':
      return <Rows caption="Largest tables" rows={status.tables} columns={TABLES} keyOf={({ table }) => table} />
    case 'backups':
      return <Rows caption="Backups" rows={status.backups} columns={BACKUPS} keyOf={({ id }) => id} />
    default:
      return null
  }
}

const Rows = <Row,>(props: {
  caption: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf(row: Row): string | number
}) => (props.rows.length === 0 ? null : <Table {...props} />)
