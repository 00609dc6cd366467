import { useParams } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useApi } from '../../queries.ts'
import { useAssignees, useNames } from '../../session.ts'
import type { Assignee } from './task-draft.ts'

/** The name of an assignee. */
export function useWho(): (who: Assignee) => string {
  const nameOf = useNames()
  return (who) => (who.startsWith('handle:') ? who.slice(7) : who.startsWith('user:') ? nameOf(Number(who.slice(5))) : 'Nobody')
}

/** Possible assignees in the project: its people, and the handles of agents. */
export const useCandidates = (projectId: string) => ({
  people: useAssignees(projectId),
  members: useApi('listMembers', { project_id: projectId }, { stale: 60_000 }),
})

function useChoices(value: Assignee) {
  const { projectId = '' } = useParams({ strict: false })
  const {
    people,
    members: { data },
  } = useCandidates(projectId)
  const handles = new Set(data?.assignee_handles)
  if (value.startsWith('handle:')) handles.add(value.slice(7))
  const nameOf = useWho()
  const members = (people.data?.people ?? []).map(({ user_id, name }) => [`user:${user_id}`, name] as const)
  // A person who lost access to the project keeps the task until it is assigned to somebody else.
  const left = people.data && value.startsWith('user:') && !members.some(([who]) => who === value)
  return {
    people: left ? [...members, [value, `${nameOf(value)} (not on the project)`] as const] : members,
    handles: [...handles].sort(),
  }
}

interface Props {
  label: string
  value: Assignee
  onChange(who: Assignee): void
  /** The label for everybody or nobody. */
  none: string
  className?: string
  disabled?: boolean
  /** Whether a new agent may be named. */
  open?: boolean
  /** A choice other than a person or an agent. */
  extra?: readonly [value: string, label: string]
}

const OTHER = 'other'
const HANDLE = /^[a-z0-9-]{1,50}$/

/** Selects a person with access to the project or an agent. */
export function AssigneeChoice({ label, value, onChange, none, className = '', disabled = false, open = true, extra }: Props) {
  const { people, handles } = useChoices(value)
  const [naming, setNaming] = useState(false)
  if (naming)
    return (
      <NewAgent
        onDone={(handle) => {
          setNaming(false)
          if (handle) onChange(`handle:${handle}`)
        }}
      />
    )
  return (
    <select
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={({ target }) => (target.value === OTHER ? setNaming(true) : onChange(target.value))}
      className={`h-8 rounded-md border border-line bg-panel px-2 text-sm text-ink ${className}`}
    >
      <option value="">{none}</option>
      {extra && <option value={extra[0]}>{extra[1]}</option>}
      <optgroup label="People">
        {people.map(([who, name]) => (
          <option key={who} value={who}>
            {name}
          </option>
        ))}
      </optgroup>
      <optgroup label="Agents">
        {handles.map((handle) => (
          <option key={handle} value={`handle:${handle}`}>
            {handle}
          </option>
        ))}
        {open && <option value={OTHER}>Another agent…</option>}
      </optgroup>
    </select>
  )
}

function NewAgent({ onDone }: { onDone(handle: string): void }) {
  const [text, setText] = useState('')
  const id = useId()
  const wrong = text !== '' && !HANDLE.test(text)
  return (
    <div className="grid gap-1">
      <input
        // biome-ignore lint/a11y/noAutofocus: after choosing to name an agent one is about to type
        autoFocus
        aria-label="Handle of the agent"
        aria-invalid={wrong || undefined}
        aria-describedby={id}
        placeholder="triage-bot"
        value={text}
        onChange={(event) => setText(event.target.value.toLowerCase())}
        onBlur={() => onDone(HANDLE.test(text) ? text : '')}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone('')
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (HANDLE.test(text)) onDone(text)
        }}
        className="h-8 w-full rounded-md border border-strong-line bg-panel px-2 text-sm aria-invalid:border-err"
      />
      <p id={id} className={`text-xs ${wrong ? 'text-err' : 'text-soft'}`}>
        Lowercase letters, digits and dashes. Press Enter to confirm.
      </p>
    </div>
  )
}
