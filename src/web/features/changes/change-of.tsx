import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useApi } from '../../queries.ts'
import { changePage } from '../../record-pages.ts'

interface Props {
  projectId: string
  identifier: string
  /** Lists that may already contain it; null while they are loading. */
  among?: readonly AppReply<'listBuildChanges'>['changes'][number][] | null | undefined
}

/** The commit or changelist of a record, as a link if it is known. */
export function ChangeOf({ projectId, identifier, among = [] }: Props) {
  const args = { project_id: projectId, query: { identifier, orphaned: true, limit: 1 } }
  const isOwn = (change: { identifier: string }) => change.identifier === identifier
  const listed = among?.find(isOwn)
  const { data } = useApi('listChanges', args, { enabled: identifier !== '' && among !== null && !listed })
  const change = listed ?? data?.changes.find(isOwn)
  if (identifier === '') return <span className="text-soft">unknown</span>
  if (!change) return <code className="font-mono text-xs">{identifier.slice(0, 12)}</code>
  return <ChangeLink projectId={projectId} change={{ ...change, description: '' }} title={change.description} />
}

interface LinkProps {
  projectId: string
  change: { id: number; display_identifier: string; description: string }
  title?: string
}

/** A change with the first line of its description. */
export const ChangeLink = ({ projectId, change: { id, display_identifier, description }, title = description }: LinkProps) => (
  <Link {...changePage(projectId, id)} title={title} className="block min-w-0 truncate underline">
    <code className="font-mono text-xs">{display_identifier}</code>
    {description && ` ${description.split('\n', 1)[0]}`}
  </Link>
)
