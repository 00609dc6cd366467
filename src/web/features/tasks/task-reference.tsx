import type { Reference } from '../../../contract/app/tasks.ts'
import { useProviderLabel } from '../../providers.ts'
import { useNames } from '../../session.ts'
import { Icon } from '../../ui/icon.tsx'
import { Pill } from '../../ui/pill.tsx'

/** A tracker item that a task names, with its link. */
export function TaskReference({ reference }: { reference: Reference }) {
  const { provider, key, title, state, url, assignee_user_id } = reference
  const nameOf = useNames()
  const labelOf = useProviderLabel()
  const words = (
    <>
      <span className="text-soft">{labelOf(provider)}</span> <code className="font-mono text-xs text-soft">{key}</code> {title}
    </>
  )
  return (
    <li className="flex items-center gap-2">
      <Icon name="tool" className="text-soft" />
      {url === '' ? (
        <span className="min-w-0 truncate">{words}</span>
      ) : (
        <a href={url} target="_blank" rel="noreferrer" className="min-w-0 truncate hover:underline">
          {words}
        </a>
      )}
      {state !== '' && <Pill>{state}</Pill>}
      {assignee_user_id !== null && <span className="whitespace-nowrap text-xs text-soft">{nameOf(assignee_user_id)}</span>}
    </li>
  )
}
