import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'

interface Props {
  projectId: string
  identifier: string
  /** With the first line of what its author wrote. */
  described?: boolean
}

/** The commit or changelist something came from, as a link where we know it. */
export function ChangeOf({ projectId, identifier, described = false }: Props) {
  const args = { project_id: projectId, query: { identifier, orphaned: true, limit: 1 } }
  const { data } = useApi('listChanges', args, { enabled: identifier !== '' })
  const change = data?.changes.find((one) => one.identifier === identifier)
  if (identifier === '') return <span className="text-soft">not told</span>
  const name = change?.display_identifier ?? identifier.slice(0, 12)
  if (!change) return <code className="font-mono text-xs">{name}</code>
  return (
    <Link
      to="/projects/$projectId/changes/$changeId"
      params={{ projectId, changeId: String(change.id) }}
      title={change.description}
      className="block min-w-0 truncate underline"
    >
      <code className="font-mono text-xs">{name}</code>
      {described && ` ${change.description.split('\n', 1)[0]}`}
    </Link>
  )
}
