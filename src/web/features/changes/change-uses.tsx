import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { deploymentPage } from '../../record-pages.ts'
import { Loading } from '../../ui/infinite-list.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { BuildLine } from '../builds/build-line.tsx'
import { titleOf } from '../deployments/title.ts'

type Context = AppReply<'showChangeContext'>

interface Props {
  projectId: string
  /** Undefined while it is loading. */
  context: Context | undefined
}

/** The builds of a change, and the first one of other jobs that contain it. */
export const ChangeBuilds = ({ projectId, context }: Props) => (
  <Section title="Builds">
    {!context ? (
      <Loading />
    ) : (
      <>
        {context.build_runs.length === 0 && <p className="text-sm text-soft">No build of this change yet.</p>}
        <BuildLines projectId={projectId} builds={context.build_runs.filter(({ exact }) => exact)} />
        {context.build_runs.some(({ exact }) => !exact) && (
          <p className="text-xs text-soft">First builds of other jobs that include it:</p>
        )}
        <BuildLines projectId={projectId} builds={context.build_runs.filter(({ exact }) => !exact)} />
      </>
    )}
  </Section>
)

const BuildLines = ({ projectId, builds }: { projectId: string; builds: Context['build_runs'] }) => (
  <ul className="grid min-w-0 grid-cols-1 gap-1.5 empty:hidden">
    {builds.map((build) => (
      <li key={build.id} className="flex flex-wrap items-center gap-x-2 text-sm">
        <BuildLine projectId={projectId} build={build} />
      </li>
    ))}
  </ul>
)

/** The deployments of a change, the earliest first. */
export const ChangeDeployments = ({ projectId, context }: Props) => (
  <Section title="Deployments">
    {!context ? (
      <Loading />
    ) : context.deployments.length === 0 ? (
      <p className="text-sm text-soft">No deployment includes this change.</p>
    ) : (
      <ul className="grid min-w-0 grid-cols-1 gap-1.5">
        {context.deployments.map((deployment) => (
          <li key={deployment.id} className="flex flex-wrap items-center gap-x-2 text-sm">
            <Link {...deploymentPage(projectId, deployment.id)} className="min-w-0 truncate hover:underline">
              {titleOf(deployment)}
            </Link>
            <Status of="deployment_status" value={deployment.status} words={statusLabel(deployment)} />
            <span className="ml-auto text-xs text-soft">
              <Time at={deployment.live_at ?? deployment.created_at} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </Section>
)
