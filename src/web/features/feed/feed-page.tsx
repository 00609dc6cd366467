import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { Event } from '../../../contract/shapes.ts'
import { useFilters } from '../../filters.ts'
import { usePages } from '../../queries.ts'
import { useAccount, useActor, useMe } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Pages } from '../../ui/pages.tsx'
import type { PillKind } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { byDay, merged, messageOf } from './feed-events.ts'
import { useFresh } from './feed-fresh.ts'
import { FeedTiles } from './feed-tiles.tsx'

const KINDS = [
  ['', 'Everything'],
  ['build_run.*', 'Builds'],
  ['build_run.completed', 'Passed builds'],
  ['build_run.failed', 'Failed builds'],
  ['change.submitted', 'Changes'],
  ['task.state_changed', 'Tasks'],
  ['approval.*', 'Approvals'],
  ['approval.requested', 'Waiting for approval'],
  ['deployment.created', 'Deployments'],
] as const

export default function Feed() {
  const account = useAccount()
  const projects = useMe().projects.filter(({ account_id }) => account_id === account?.id)
  const [{ kind, project }, filter] = useFilters('kind', 'project')
  const types = KINDS.some(([value]) => value === kind) ? kind : ''
  const filters = { account_id: account?.id, event_types: types, project_id: project, days_back: 90 }
  const pages = usePages('listEvents', { query: filters }, 'events')
  const fresh = useFresh(types, project)
  const events = merged(fresh, pages.items, !pages.hasNextPage)
  const arrived = new Set(fresh.map(({ cursor_key }) => cursor_key))
  return (
    <Page
      title="Feed"
      actions={
        <>
          <Filter label="Kind" options={KINDS} value={types} onChange={(event) => filter({ kind: event.target.value })} />
          <Filter
            label="Project"
            value={project}
            onChange={(event) => filter({ project: event.target.value })}
            options={[['', 'All projects'], ...projects.map(({ id, name }) => [String(id), name] as const)]}
          />
        </>
      }
    >
      <FeedTiles accountId={account?.id} />
      <p role="status" className="sr-only">
        {fresh.length > 0 && `${fresh.length} new since you opened the feed`}
      </p>
      <Pages
        query={pages}
        count={events.length}
        empty={
          types || project ? (
            <Empty
              title="Nothing like that in the last 90 days"
              action={<Button onClick={() => filter({ kind: '', project: '' })}>Show everything</Button>}
            />
          ) : (
            <Empty title="Nothing happened yet" action={<FirstStep projects={projects} />}>
              Connect a tool to a project: whatever it tells will stand here the moment it arrives.
            </Empty>
          )
        }
      >
        {byDay(events).map(([day, events]) => (
          <section key={day} aria-label={day} className="grid gap-2">
            <h2 className="text-xs font-medium text-soft">{day}</h2>
            <ol className="grid overflow-hidden rounded-lg border border-line bg-panel">
              {events.map((event) => (
                <Row key={event.cursor_key} event={event} isNew={arrived.has(event.cursor_key)} showProject={project === ''} />
              ))}
            </ol>
          </section>
        ))}
      </Pages>
    </Page>
  )
}

const FirstStep = ({ projects: [first] }: { projects: readonly { id: number }[] }) =>
  first ? (
    <Link to="/projects/$projectId/integrations" params={{ projectId: String(first.id) }} className={buttonClass('main')}>
      Connect a tool
    </Link>
  ) : (
    <Link to="/projects/new" className={buttonClass('main')}>
      Make a project
    </Link>
  )

const LOOKS: Record<PillKind, string> = {
  ok: 'bg-ok-wash text-ok',
  err: 'bg-err-wash text-err',
  warn: 'bg-warn-wash text-warn',
  info: 'bg-info-wash text-info',
  neutral: 'bg-hover text-soft',
}

function Row({ event, isNew, showProject }: { event: Event; isNew: boolean; showProject: boolean }) {
  const nameOf = useActor()
  const kind = event.event_type.split('.')[0]!.replace('_run', '') as IconName
  // A build names its job and a change its author already.
  const actor = event.actor === 'system' || event.event_type === 'change.submitted' ? undefined : nameOf(event.actor)
  return (
    <li
      className={`flex items-start gap-3 border-b border-line px-3 py-2 text-sm last:border-0 hover:bg-hover/60 ${isNew ? 'animate-arrive' : ''}`}
    >
      <span className={`grid size-6 shrink-0 place-items-center rounded-full ${LOOKS[event.status]}`}>
        <Icon name={kind} className="size-3.5" />
        <span className="sr-only">{kind}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4">
        <Link to={event.url} className="min-w-0 flex-1 basis-72 wrap-anywhere hover:underline">
          {messageOf(event)}
        </Link>
        <span className="min-w-0 wrap-anywhere text-xs text-soft">
          {[showProject && event.project_name, actor].filter(Boolean).map((name) => (
            <Fragment key={String(name)}>
              <bdi>{name}</bdi> ·{' '}
            </Fragment>
          ))}
          <Time at={event.timestamp} />
        </span>
      </div>
    </li>
  )
}
