import { Link, useParams } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { Facts } from '../../ui/facts.tsx'
import { Failed, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Waiting } from '../../ui/pages.tsx'
import { ApprovalStatus } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { BranchLinks } from '../branches/branch-links.tsx'
import { BuildLine } from '../builds/build-line.tsx'
import { TaskLink } from '../tasks/task-link.tsx'
import { ChangedFiles } from './changed-files.tsx'

const WORDS = { GitCommit: 'Git commit', Changelist: 'Changelist', AssetCommit: 'Asset commit' }

export default function Change() {
  const { projectId = '', changeId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useApi('showChange', { project_id: projectId, id: changeId })
  const up = ['Changes', `/projects/${projectId}/changes`] as const
  if (!data || String(data.id) !== changeId)
    return (
      <Page title="Change" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting />}
      </Page>
    )
  const [title, ...rest] = data.description.split('\n')
  const text = rest.join('\n').trim()
  const decided = Object.entries(data.approvals).filter(([, count]) => count > 0)
  return (
    <Page title={title || data.display_identifier} up={up}>
      {data.orphaned_at && (
        <Notice kind="warn">
          This change was overwritten by a forced push <Time at={data.orphaned_at} />; it is no longer part of the history.
        </Notice>
      )}
      <Facts
        of={[
          [
            WORDS[data.source_type],
            <code key="id" className="break-all font-mono text-xs">
              {data.identifier}
            </code>,
          ],
          ['Author', data.author],
          ['When', <Time key="when" at={data.timestamp} both />],
          ['Files', data.files_available ? data.file_count : 'not told'],
          [
            data.branches.length === 1 ? 'Branch' : 'Branches',
            data.branches.length > 0 && <BranchLinks key="branches" projectId={projectId} names={data.branches} />,
          ],
        ]}
      />
      {text && <p className="whitespace-pre-wrap wrap-anywhere text-sm">{text}</p>}
      <div className="grid items-start gap-4 lg:grid-cols-3">
        <Section title="Builds">
          {data.build_runs.length === 0 && <p className="text-sm text-soft">None has built it yet.</p>}
          <ul className="grid min-w-0 grid-cols-1 gap-1.5">
            {data.build_runs.map((build) => (
              <li key={build.id} className="flex flex-wrap items-center gap-x-2 text-sm">
                <BuildLine projectId={projectId} build={build} />
              </li>
            ))}
          </ul>
        </Section>
        <Section title="Approvals">
          {decided.length === 0 ? (
            <p className="text-sm text-soft">It touched nothing that needs one.</p>
          ) : (
            <>
              <ul className="grid min-w-0 grid-cols-1 gap-1.5">
                {decided.map(([status, count]) => (
                  <li key={status} className="flex items-center gap-2 text-sm tabular-nums">
                    <ApprovalStatus value={status} /> {count}
                  </li>
                ))}
              </ul>
              <Link to="/projects/$projectId/approvals" params={{ projectId }} className="text-sm underline">
                To the approvals
              </Link>
            </>
          )}
        </Section>
        <Section title="Tasks">
          {data.task_ids.length === 0 ? (
            <p className="text-sm text-soft">Its text names none. Write #12 or GM-12 to link a task.</p>
          ) : (
            <ul className="grid min-w-0 grid-cols-1 gap-1.5">
              {data.task_ids.map((id) => (
                <li key={id}>
                  <TaskLink projectId={projectId} id={id} />
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      <Section title="Files">
        {data.files_available && data.files.length > 0 ? (
          <ChangedFiles files={data.files} />
        ) : (
          <p className="text-sm text-soft">
            {data.files_available ? 'It touches no file.' : 'The tool that told of this change did not name its files.'}
          </p>
        )}
      </Section>
    </Page>
  )
}
