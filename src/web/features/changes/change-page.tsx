import { Link, useParams } from '@tanstack/react-router'
import { labelOf } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ApprovalStatus } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { BranchLinks } from '../branches/branch-links.tsx'
import { Comments } from '../comments/comments.tsx'
import { useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { TaskLink } from '../tasks/task-link.tsx'
import { TaskReference } from '../tasks/task-reference.tsx'
import { ChangeBuilds, ChangeDeployments } from './change-uses.tsx'
import { ChangedFiles } from './changed-files.tsx'

export default function Change() {
  const { projectId = '', changeId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useApi('showChange', { project_id: projectId, id: changeId })
  const { data: around, isPlaceholderData } = useApi('showChangeContext', { project_id: projectId, id: changeId })
  const commented = { subject: 'change', projectId, id: changeId } as const
  useComments(commented)
  useHistory(commented)
  const context = isPlaceholderData ? undefined : around
  const up = ['Changes', `/projects/${projectId}/changes`] as const
  if (!data || String(data.id) !== changeId)
    return (
      <Page title="Change" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  const [title, ...rest] = data.description.split('\n')
  const text = rest.join('\n').trim()
  const decided = Object.entries(data.approvals).filter(([, count]) => count > 0)
  return (
    <Page
      title={title || data.display_identifier}
      up={up}
      actions={
        context &&
        /^https?:\/\//.test(context.url) && (
          <a href={context.url} target="_blank" rel="noreferrer" className={buttonClass()}>
            Show diff
          </a>
        )
      }
    >
      {data.orphaned_at && (
        <Notice kind="warn">
          This change was overwritten by a force push <Time at={data.orphaned_at} />. It is no longer in the branch history.
        </Notice>
      )}
      <DefinitionCard
        items={[
          [
            labelOf('source_type', data.source_type),
            <code key="id" className="break-all font-mono text-xs">
              {data.identifier}
            </code>,
          ],
          ['Author', data.author],
          ['When', <Time key="when" at={data.timestamp} both />],
          ['Files', data.files_available ? data.file_count : 'Unknown'],
          [
            data.branches.length === 1 ? 'Branch' : 'Branches',
            data.branches.length > 0 && <BranchLinks key="branches" projectId={projectId} names={data.branches} />,
          ],
        ]}
      />
      {text && <p className="whitespace-pre-wrap wrap-anywhere text-sm">{text}</p>}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <ChangeBuilds projectId={projectId} context={context} />
        <ChangeDeployments projectId={projectId} context={context} />
        <Section title="Approvals">
          {decided.length === 0 ? (
            <p className="text-sm text-soft">No asset in this change needs approval.</p>
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
                Open approvals
              </Link>
            </>
          )}
        </Section>
        <Section title="Tasks">
          {!context ? (
            <Loading />
          ) : context.tasks.length + context.references.length === 0 ? (
            <p className="text-sm text-soft">
              No linked tasks. To link one, write #12, GM-12 or the key of a connected tracker’s issue in the description.
            </p>
          ) : (
            <ul className="grid min-w-0 grid-cols-1 gap-1.5 text-sm">
              {context.references.map((reference) => (
                <TaskReference key={`reference ${reference.id}`} reference={reference} />
              ))}
              {context.tasks.map((task) => (
                <li key={task.id}>
                  <TaskLink projectId={projectId} id={task.id} told={task} />
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
            {data.files_available ? 'This change has no files.' : 'The tool that reported this change did not list its files.'}
          </p>
        )}
      </Section>
      <RecordHistory {...commented} />
      <Comments {...commented} />
    </Page>
  )
}
