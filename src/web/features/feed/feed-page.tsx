import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, usePages } from '../../queries.ts'
import { integrationsPage } from '../../record-pages.ts'
import { useAccount, useActor, useMe } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import type { PillKind } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { byDay, type Line, lineWords, merged, messageOf, together } from './feed-events.ts'
import { useFresh } from './feed-fresh.ts'
import { FeedTiles } from './feed-tiles.tsx'
import { useLastVisit } from './last-visit.ts'
import { RunningBuilds } from './running-builds.tsx'

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
  const [{ kind, project, mine }, filter, fieldOf] = useFilters('kind', 'project', 'mine')
  const types = KINDS.some(([value]) => value === kind) ? kind : ''
  const filters = {
    account_id: account?.id,
    event_types: types,
    project_id: project,
    days_back: 90,
    mine: mine || undefined,
    limit: PAGE_ROWS,
  }
  const pages = usePages('listEvents', { query: filters }, 'events')
  // Live events do not contain the reader's relation: the list has it when it is loaded again.
  const fresh = useFresh(types, project).filter(() => !mine)
  const lastVisit = useLastVisit(account?.id)
  const events = merged(fresh, pages.items, !pages.hasNextPage)
  const arrived = new Set(fresh.map(({ cursor_key }) => cursor_key))
  return (
    <Page
      title="Feed"
      actions={
        <>
          <Filter label="Type" options={KINDS} {...fieldOf('kind')} value={types} />
          <Filter
            label="Project"
            {...fieldOf('project')}
            options={[['', 'All projects'], ...projects.map(({ id, name }) => [String(id), name] as const)]}
          />
          <Filter
            label="Person"
            {...fieldOf('mine')}
            options={[
              ['', 'Everybody'],
              ['true', 'Mine'],
            ]}
          />
          <SavedViews />
        </>
      }
    >
      <FeedTiles accountId={account?.id} />
      {!mine && ['', 'build_run.*'].includes(types) && <RunningBuilds accountId={account?.id ?? 0} project={project} />}
      <p role="status" className="sr-only">
        {fresh.length > 0 && `${fresh.length} new since you opened the feed`}
      </p>
      <InfiniteList
        query={pages}
        count={events.length}
        empty={
          types || project || mine ? (
            <Empty
              title="No matching events in the last 90 days"
              action={<Button onClick={() => filter({ kind: '', project: '', mine: '' })}>Show everything</Button>}
            />
          ) : (
            <Empty title="No events yet" action={<FirstStep projects={projects} />}>
              Connect a tool to a project to see its changes, builds and deployments here.
            </Empty>
          )
        }
      >
        {byDay(events).map(([day, events]) => (
          <section key={day} aria-label={day} className="grid gap-2">
            <h2 className="text-xs font-medium text-soft">{day}</h2>
            <ol className="grid overflow-hidden rounded-lg border border-line bg-panel">
              {together(events).map((line) => (
                <Row
                  key={line[0].cursor_key}
                  line={line}
                  isNew={arrived.has(line[0].cursor_key)}
                  isUnread={lastVisit !== undefined && line[0].timestamp > lastVisit}
                  showProject={project === ''}
                />
              ))}
            </ol>
          </section>
        ))}
      </InfiniteList>
    </Page>
  )
}

const FirstStep = ({ projects: [first] }: { projects: readonly { id: number }[] }) =>
  first ? (
    <Link {...integrationsPage(first.id)} className={buttonClass('main')}>
      Connect a tool
    </Link>
  ) : (
    <Link to="/projects/new" className={buttonClass('main')}>
      Create project
    </Link>
  )

const LOOKS: Record<PillKind, string> = {
  ok: 'bg-ok-wash text-ok',
  err: 'bg-err-wash text-err',
  warn: 'bg-warn-wash text-warn',
  info: 'bg-info-wash text-info',
  neutral: 'bg-hover text-soft',
}

interface RowProps {
  line: Line
  isNew: boolean
  isUnread: boolean
  showProject: boolean
}

function Row({ line, isNew, isUnread, showProject }: RowProps) {
  const nameOf = useActor()
  const [event] = line
  const kind = event.event_type.split('.')[0]!.replace('_run', '') as IconName
  // A build has its job and a change its author already.
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
        {line.length === 1 ? (
          <Link to={event.url} className="min-w-0 flex-1 basis-72 wrap-anywhere hover:underline">
            {messageOf(event)}
          </Link>
        ) : (
          <details className="min-w-0 flex-1 basis-72">
            <summary className="w-fit rounded hover:underline">{lineWords(line)}</summary>
            <ul className="mt-1 grid gap-1">
              {line.map((one) => (
                <li key={one.cursor_key}>
                  <Link to={one.url} className="wrap-anywhere text-soft hover:underline">
                    {messageOf(one)}
                  </Link>
                </li>
              ))}
            </ul>
          </details>
        )}
        <span className="min-w-0 wrap-anywhere text-xs text-soft">
          {[showProject && event.project_name, actor].filter(Boolean).map((name) => (
            <Fragment key={String(name)}>
              <bdi>{name}</bdi> ·{' '}
            </Fragment>
          ))}
          <Time at={event.timestamp} />
          {isUnread && (
            <span className="ml-2 inline-block size-2 rounded-full bg-accent">
              <span className="sr-only">unread</span>
            </span>
          )}
        </span>
      </div>
    </li>
  )
}
