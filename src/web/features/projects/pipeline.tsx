import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { buildState } from '../../../contract/sets.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { useApi } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { BuildStatus, Status, wordsOf } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { titleOf } from '../deployments/title.ts'

const NEWEST = { limit: 3 }

export function usePipeline(projectId: string) {
  const place = { project_id: projectId }
  return {
    changes: useApi('listChanges', { ...place, query: NEWEST }).data?.changes,
    builds: useApi('listBuilds', { ...place, query: NEWEST }).data?.build_runs,
    approvals: useApi('listApprovals', { ...place, query: { ...NEWEST, status: 'pending' } }).data?.approvals,
    deployments: useApi('listDeployments', { ...place, query: NEWEST }).data?.deployments,
  }
}

/** The same wherever builds are counted. */
export const COUNTED = 'Without preflights and bisecting builds'

/** Changes, builds, pending approvals, live deployments: a count and the newest of each. */
export function Pipeline({ projectId, now }: { projectId: string; now: AppReply<'showOverview'> }) {
  const { changes, builds, approvals, deployments } = usePipeline(projectId)
  const at = `/projects/${projectId}`
  return (
    <ol className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <Stage to={`${at}/changes`} title="Changes" icon="change" figure={now.changes_24h} label="in 24 hours">
        {changes?.map(({ id, display_identifier, description, author, timestamp }) => (
          <Entry
            key={id}
            to={`${at}/changes/${id}`}
            title={description.split('\n', 1)[0] || display_identifier}
            detail={
              <>
                <code className="font-mono">{display_identifier}</code>
                {author && ` · ${author}`} · <Time at={timestamp} />
              </>
            }
          />
        ))}
      </Stage>
      <Stage
        to={`${at}/builds`}
        title="Builds"
        icon="build"
        figure={now.builds_running}
        about={COUNTED}
        label={`running · ${now.builds_passed_24h} passed, ${now.builds_failed_24h} failed in 24 hours`}
      >
        {builds?.map(({ id, ci_job_name, build_number, created_at, ...build }) => (
          <Entry
            key={id}
            to={`${at}/builds/${id}`}
            title={`${ci_job_name || 'Build'} ${build_number && `#${build_number}`}`}
            status={<BuildStatus value={buildState(build)} />}
            detail={<Time at={created_at} />}
          />
        ))}
      </Stage>
      <Stage to={`${at}/approvals`} title="Approvals" icon="approval" figure={now.approvals_pending} label="waiting for approval">
        {approvals?.map(({ id, asset_id, asset_name, asset_version, approval_stage, created_at }) => (
          <Entry
            key={id}
            to={`${at}/assets/${asset_id}`}
            title={asset_name}
            detail={
              <>
                version {asset_version} · {wordsOf(approval_stage)} · <Time at={created_at} />
              </>
            }
          />
        ))}
      </Stage>
      <Stage to={`${at}/deployments`} title="Deployments" icon="deployment" figure={now.live.length} label={liveLabel(now.live)}>
        {deployments?.map((deployment) => (
          <Entry
            key={deployment.id}
            to={`${at}/deployments/${deployment.id}`}
            title={titleOf(deployment)}
            status={<Status of="deployment_status" value={deployment.status} words={statusLabel(deployment)} />}
            detail={<Time at={deployment.created_at} />}
          />
        ))}
      </Stage>
    </ol>
  )
}

const liveLabel = (live: AppReply<'showOverview'>['live']) =>
  live.length === 0 ? 'live' : `live: ${live.map(titleOf).join(', ')}`

interface StageProps {
  to: string
  title: string
  icon: IconName
  figure: number
  label: string
  /** How the label's figures are counted, on hover. */
  about?: string
  children: ReactNode[] | undefined
}

const Stage = ({ to, title, icon, figure, label, about, children }: StageProps) => (
  <li className="row-span-2 grid min-w-0 grid-cols-1 grid-rows-subgrid gap-0 rounded-lg border border-line bg-panel">
    <Link to={to} className="grid content-start gap-1 rounded-t-lg border-b border-line p-3 hover:bg-hover">
      <span className="flex items-center gap-2 text-sm font-medium text-soft">
        <Icon name={icon} />
        {title}
        <Icon name="right" className="ml-auto text-faint" />
      </span>
      <span className="flex items-baseline gap-2">
        <span className="text-2xl font-semibold tabular-nums">{figure}</span>
        <span className="min-w-0 wrap-anywhere text-xs text-soft" title={about}>
          {label}
        </span>
      </span>
    </Link>
    {children && children.length > 0 ? (
      <ul className="grid grid-cols-1 content-start p-1">{children}</ul>
    ) : (
      <p className={`p-3 text-xs text-soft ${children ? '' : 'min-h-40'}`}>{children ? 'Nothing here yet.' : ''}</p>
    )}
  </li>
)

const Entry = ({ to, title, status, detail }: { to: string; title: string; status?: ReactNode; detail: ReactNode }) => (
  <li>
    <Link to={to} className="grid grid-cols-1 gap-1 rounded-md px-2 py-1.5 text-sm hover:bg-hover">
      <span className="truncate" title={title}>
        {title}
      </span>
      <span className="flex items-center gap-2 text-xs text-soft">
        {status}
        <span className="wrap-anywhere min-w-0">{detail}</span>
      </span>
    </Link>
  </li>
)
