import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Contents } from '../changes/contents.tsx'

interface Props {
  projectId: string
  buildId: string
}

export const useBuildChanges = ({ projectId, buildId }: Props, enabled = true) =>
  useApi('listBuildChanges', { project_id: projectId, build_run_id: buildId }, { enabled })

/** The changes of a build since the last pass. */
export function BuildChanges({ projectId, buildId }: Props) {
  const { data, error, refetch, isPlaceholderData } = useBuildChanges({ projectId, buildId })
  return (
    <Section title="Changes in this build">
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !data || isPlaceholderData ? (
        <Loading />
      ) : (
        <>
          {data.basis !== 'unknown' && (
            <p className="text-sm text-soft">
              {data.since ? (
                <>
                  Since{' '}
                  <Link {...buildPage(projectId, data.since.id)} className="underline">
                    the last build that passed
                  </Link>
                  {data.branch && ` on ${data.branch}`}.
                </>
              ) : (
                `No earlier build of this job passed${data.branch && ` on ${data.branch}`}. These are all known changes before it.`
              )}
            </p>
          )}
          <Contents
            projectId={projectId}
            found={data}
            label="Changes in this build, newest first"
            unknown="Unknown: this build’s commit or changelist was not reported. Connect your version control, and send the commit, changelist or branch from your CI."
            none="No changes: the last passed build was made from the same change."
          />
        </>
      )}
    </Section>
  )
}
