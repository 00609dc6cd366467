import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { TITLE_MAX } from '../../../contract/limits.ts'
import type { TaskDetail } from '../../../contract/shapes.ts'
import { ApiError, wordsOf as failureOf } from '../../api.ts'
import { refresh, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { useEditDraft } from '../../ui/form/edit-draft.ts'
import { Notice } from '../../ui/notice.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'

interface Props {
  task: TaskDetail
  field: 'title' | 'description'
  fixed: boolean
}

const BOX = 'w-full rounded-md border border-strong-line bg-panel px-2.5 text-ink'

/** Title or description: click to edit. If somebody else was faster both versions are shown and one is chosen. */
export function TaskWords({ task, field, fixed }: Props) {
  const [editing, setEditing] = useEditDraft(`task ${task.id} ${field}`)
  const [error, setError] = useState<string>()
  const save = useWrite('reviseTask', ['showTask', 'listTasks', 'searchTasks', 'listTaskHistory', 'listTaskReferences'])
  const client = useQueryClient()
  const current = task[field]
  if (!editing)
    return (
      <Read
        field={field}
        text={current}
        fixed={fixed}
        projectId={task.project_id}
        onEdit={() => setEditing({ seen: current, text: current })}
      />
    )
  const { seen, text } = editing
  const conflict = seen !== current && text !== current
  const submit = async () => {
    setError(undefined)
    if (text === seen && !conflict) return setEditing(undefined)
    try {
      await save.mutateAsync({
        project_id: task.project_id,
        id: task.id,
        body: { seen: { [field]: seen }, task: { [field]: text } },
      })
      setEditing(undefined)
    } catch (failure) {
      // The newer text is loading; seeing it next to one's own is more useful than the error.
      if (failure instanceof ApiError && failure.status === 409) await refresh(client, ['showTask'])
      else setError(failureOf(failure))
    }
  }
  const press = (event: KeyboardEvent) => {
    // Leaving by accident must not lose text: it is discarded only with Cancel.
    if (event.key === 'Escape' && text === seen) setEditing(undefined)
    else if (event.key === 'Enter' && (field === 'title' || event.metaKey || event.ctrlKey) && !conflict) {
      event.preventDefault()
      void submit()
    }
  }
  const typing = {
    'aria-label': field === 'title' ? 'Title' : 'Description',
    autoFocus: true,
    value: text,
    onKeyDown: press,
    onChange: ({ target }: { target: { value: string } }) => setEditing({ seen, text: target.value }),
  }
  return (
    <div className="grid gap-2">
      {field === 'title' ? (
        <input {...typing} maxLength={TITLE_MAX} className={`${BOX} h-10 text-xl font-semibold`} />
      ) : (
        <textarea {...typing} rows={Math.min(24, Math.max(6, text.split('\n').length + 2))} className={`${BOX} py-2 text-sm`} />
      )}
      {conflict && (
        <Theirs text={current} onTake={() => setEditing(undefined)} onKeep={() => setEditing({ seen: current, text })} />
      )}
      {error && <Notice kind="err">{error}</Notice>}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="main"
          busy={save.isPending}
          disabled={conflict || (field === 'title' && text.trim() === '')}
          onClick={() => void submit()}
        >
          Save
        </Button>
        <Button look="quiet" onClick={() => setEditing(undefined)}>
          Cancel
        </Button>
        <span className="text-xs text-soft max-sm:hidden">
          {field === 'title' ? 'Press Enter to save' : 'Markdown. Press Ctrl+Enter or ⌘+Enter to save'}
        </span>
      </div>
    </div>
  )
}

/** The text of somebody else in the meantime, and the options. */
const Theirs = ({ text, onTake, onKeep }: { text: string; onTake(): void; onKeep(): void }) => (
  <Notice kind="warn">
    <div className="grid gap-2">
      <p className="font-medium">
        Somebody else changed this while you were editing. Your text above is kept. This is the new version:
      </p>
      <p className="max-h-60 overflow-y-auto whitespace-pre-wrap wrap-anywhere rounded border border-warn/40 bg-panel p-2 text-ink">
        {text || '(empty)'}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onKeep}>Keep mine</Button>
        <Button onClick={onTake}>Use theirs, discard mine</Button>
      </div>
    </div>
  </Notice>
)

interface ReadProps {
  field: Props['field']
  text: string
  fixed: boolean
  projectId: number
  onEdit(): void
}

function Read({ field, text, fixed, projectId, onEdit }: ReadProps) {
  if (field === 'description' && text)
    return (
      <section aria-label="Description" className="grid min-w-0 grid-cols-1 gap-2">
        <Markdown text={text} projectId={projectId} />
        {!fixed && (
          <Button look="quiet" className="-ml-3 w-fit" onClick={onEdit}>
            Edit description
          </Button>
        )}
      </section>
    )
  const look = field === 'title' ? 'text-xl font-semibold tracking-tight' : 'text-sm text-faint'
  if (fixed) return <div className={`wrap-anywhere ${look}`}>{text || 'No description'}</div>
  const words = text || 'Add a description'
  return (
    <button
      type="button"
      aria-label={`Edit ${field}: ${words}`}
      onClick={onEdit}
      className={`-mx-2 cursor-text wrap-anywhere rounded-md px-2 py-1 text-left hover:bg-hover ${look}`}
    >
      {words}
    </button>
  )
}
