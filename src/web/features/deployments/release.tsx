import { useMemo, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox, TextArea } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useCopy } from '../../ui/text/clipboard.ts'
import { countOf } from '../../ui/text/count.ts'
import { TaskLink } from '../tasks/task-link.tsx'
import { TaskReference } from '../tasks/task-reference.tsx'
import { FORMATS, type FormatName, type Notes, releaseNotes } from './release-notes.ts'

interface Props {
  projectId: string
  id: string
  /** The title of the release. */
  title: string
  changes: AppReply<'compareDeployment'>['changes']
}

/** The tasks and tracker items of a deployment, and release notes to copy. */
export function Release({ projectId, id, title, changes }: Props) {
  const { data, isPlaceholderData } = useApi('showRelease', { project_id: projectId, id })
  if (!data || isPlaceholderData) return null
  const { tasks, left_out, references, untracked_change_ids } = data
  const untracked = new Set(untracked_change_ids)
  const others = changes.filter((change) => untracked.has(change.id)).map(({ description }) => description.split('\n', 1)[0]!)
  return (
    <>
      <Section title="Completed tasks">
        {tasks.length + references.length === 0 && (
          <p className="text-sm text-soft">No change in this release names a completed task or a tracker item.</p>
        )}
        <ul className="grid min-w-0 grid-cols-1 gap-1.5 text-sm empty:hidden">
          {tasks.map((task) => (
            <li key={task.id}>
              <TaskLink projectId={projectId} id={task.id} told={task} />
            </li>
          ))}
          {references.map((reference) => (
            <TaskReference key={`reference ${reference.id}`} reference={reference} />
          ))}
        </ul>
        <LeftOut projectId={projectId} tasks={left_out} />
      </Section>
      {(tasks.length > 0 || others.length > 0) && <ReleaseNotes title={title} tasks={tasks} changes={others} />}
    </>
  )
}

/** The tasks that the notes leave out, one click away. */
const LeftOut = ({ projectId, tasks }: { projectId: string; tasks: AppReply<'showRelease'>['left_out'] }) =>
  tasks.length > 0 && (
    <details className="text-sm">
      <summary className="cursor-pointer text-soft">{countOf(tasks.length, 'task')} left out</summary>
      <ul className="mt-1.5 grid min-w-0 grid-cols-1 gap-1.5">
        {tasks.map((task) => (
          <li key={task.id} className="flex flex-wrap items-center gap-x-2">
            <TaskLink projectId={projectId} id={task.id} told={task} />
            <span className="text-xs text-soft">{lowered(labelOf('release_gap', task.reason))}</span>
          </li>
        ))}
      </ul>
    </details>
  )

/** A draft to edit before it is copied; another format starts over. Changes without a task are often not for players: only on request. */
function ReleaseNotes({ title, tasks, changes }: Notes) {
  const [format, setFormat] = useState<FormatName>('markdown')
  const [withOthers, setWithOthers] = useState(false)
  const draft = useMemo(
    () => releaseNotes({ title, tasks, changes: withOthers ? changes : [] }, format),
    [title, tasks, changes, withOthers, format],
  )
  const [edited, setEdited] = useState<string>()
  const copy = useCopy()
  const text = edited ?? draft
  return (
    <Section
      title="Release notes"
      actions={
        <div className="flex flex-wrap gap-2">
          {(Object.keys(FORMATS) as FormatName[]).map((name) => (
            <Button
              key={name}
              aria-pressed={name === format}
              className="aria-pressed:border-accent aria-pressed:bg-accent-wash"
              onClick={() => {
                setFormat(name)
                setEdited(undefined)
              }}
            >
              {FORMATS[name].label}
            </Button>
          ))}
        </div>
      }
    >
      {changes.length > 0 && (
        <Checkbox
          label={`Include ${countOf(changes.length, 'change')} without a task`}
          checked={withOthers}
          onChange={(isChecked) => {
            setWithOthers(isChecked)
            setEdited(undefined)
          }}
        />
      )}
      <TextArea
        label="Text"
        hint="Edit the text before you copy it. Your edits aren’t saved."
        rows={Math.min(24, text.split('\n').length + 1)}
        value={text}
        onChange={setEdited}
        className="font-mono text-xs"
      />
      <div className="flex gap-2">
        <Button look="main" onClick={() => void copy(text, 'Release notes')}>
          Copy
        </Button>
        {edited !== undefined && (
          <Button look="quiet" onClick={() => setEdited(undefined)}>
            Discard edits
          </Button>
        )}
      </div>
    </Section>
  )
}
