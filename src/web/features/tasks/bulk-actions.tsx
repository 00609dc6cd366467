import { useState } from 'react'
import type { AppArguments } from '../../../contract/app/routes.ts'
import { choicesOf, labelOf, lowered } from '../../../contract/labels.ts'
import { BULK_MAX, LABEL_MAX } from '../../../contract/limits.ts'
import { PRIORITIES, TASK_STATES, type TaskState } from '../../../contract/sets.ts'
import { wordsOf as failureOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { countOf } from '../../ui/text/count.ts'
import { useToast } from '../../ui/toast.tsx'
import { AssigneeChoice } from './assignee.tsx'
import { useTaskDeletion } from './task-deletion.ts'
import { assigneeFields } from './task-draft.ts'

const NOBODY = 'nobody'

/** The actions on the selected tasks. */
export function BulkActions({ projectId, ids, onDone }: { projectId: string; ids: number[]; onDone(): void }) {
  const edit = useWrite('editTasks', ['listTasks', 'searchTasks', 'countTasks', 'showOverview', 'listMembers'])
  const remove = useTaskDeletion(projectId)
  const say = useToast()
  const [label, setLabel] = useState('')
  const few = ids.slice(0, BULK_MAX)
  const put = async (change: Omit<AppArguments<'editTasks'>['body'], 'ids'>, done: string) => {
    try {
      await edit.mutateAsync({ project_id: projectId, body: { ids: few, ...change } })
      say(`${countOf(few.length, 'task')}: ${done}`)
      onDone()
    } catch (error) {
      say(`Not saved: ${failureOf(error)}`, 'err')
    }
  }

  return (
    <section aria-label="Selected tasks" className="flex flex-wrap items-center gap-2">
      <span className="text-sm font-medium">{countOf(few.length, 'task')} selected</span>
      <Filter
        label="Set state"
        value=""
        options={[['', 'State…'], ...choicesOf('task_state', TASK_STATES)]}
        onChange={(value) => void put({ task: { state: value as TaskState } }, lowered(labelOf('task_state', value)))}
      />
      <Filter
        label="Set priority"
        value=""
        options={[['', 'Priority…'], ...choicesOf('priority', PRIORITIES)]}
        onChange={(value) =>
          void put(
            { task: { priority: value as (typeof PRIORITIES)[number] } },
            `${lowered(labelOf('priority', value))} priority`,
          )
        }
      />
      <AssigneeChoice
        label="Set assignee"
        value=""
        none="Assignee…"
        extra={[NOBODY, 'Nobody']}
        open={false}
        onChange={(who) => who && void put({ task: assigneeFields(who === NOBODY ? '' : who) }, 'assigned')}
      />
      <form
        className="flex"
        onSubmit={(event) => {
          event.preventDefault()
          if (label.trim()) void put({ add_label: label.trim() }, `labeled ${label.trim()}`)
        }}
      >
        <input
          aria-label="Add a label to all"
          placeholder="Add label…"
          maxLength={LABEL_MAX}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          className="h-8 w-28 rounded-md border border-line bg-panel px-2 text-sm placeholder:text-faint"
        />
      </form>
      <Button look="danger" onClick={() => void remove(few).then((gone) => gone && onDone())}>
        Delete
      </Button>
      <Button look="quiet" onClick={onDone}>
        Cancel
      </Button>
    </section>
  )
}
