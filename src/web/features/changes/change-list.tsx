import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { changePage } from '../../record-pages.ts'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'

type Change = AppReply<'listChanges'>['changes'][number]

/** Changes as a list: description, author, size. */
export const ChangeList = ({ changes, label }: { changes: readonly Change[]; label: string }) => (
  <ol aria-label={label} className="grid grid-cols-1 overflow-hidden rounded-lg border border-line bg-panel">
    {changes.map((change) => (
      <Row key={change.id} change={change} />
    ))}
  </ol>
)

function Row({ change }: { change: Change }) {
  const { projectId = '' } = useParams({ strict: false })
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-b border-line px-3 py-2 text-sm last:border-0 hover:bg-hover/60">
      <code className="shrink-0 font-mono text-xs text-soft max-sm:order-1 sm:min-w-20">{change.display_identifier}</code>
      <Link
        {...changePage(projectId, change.id)}
        title={change.description.split('\n', 1)[0]}
        className="min-w-0 font-medium hover:underline max-sm:w-full sm:flex-1 sm:basis-64 sm:truncate"
      >
        {change.description.split('\n', 1)[0] || 'No description'}
      </Link>
      {change.orphaned_at && <Pill>overwritten</Pill>}
      {change.builds && <Builds {...change.builds} />}
      <span className="text-xs text-soft max-sm:order-1">
        {change.approval_count > 0 && `${change.approval_count} ${change.approval_count === 1 ? 'approval' : 'approvals'} · `}
        {change.file_count !== null && `${change.file_count} ${change.file_count === 1 ? 'file' : 'files'} · `}
        {change.author} · <Time at={change.timestamp} />
      </span>
    </li>
  )
}

/** Its build results, the worst first. */
const Builds = ({ passed, failed, running }: NonNullable<Change['builds']>) =>
  passed + failed + running > 0 && (
    <span className="flex gap-1 max-sm:order-1">
      {failed > 0 && <Pill kind="err">{failed} failed</Pill>}
      {running > 0 && <Pill kind="info">{running} running</Pill>}
      {passed > 0 && <Pill kind="ok">{passed} passed</Pill>}
    </span>
  )
