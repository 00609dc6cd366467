import { useNavigate, useParams } from '@tanstack/react-router'
import { choicesOf } from '../../../contract/labels.ts'
import { TITLE_MAX } from '../../../contract/limits.ts'
import { PRIORITIES, type Priority, TASK_STATES, TASK_TYPES, type TaskState, type TaskType } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AssigneeChoice, fieldsOf } from './assignee.tsx'

export const TaskNew = ({ open, onClose }: { open: boolean; onClose(): void }) => (
  <Dialog title="New task" open={open} onClose={onClose}>
    <Fields onClose={onClose} />
  </Dialog>
)

/** Input is kept when the dialog is closed, until the task exists. */
function Fields({ onClose }: { onClose(): void }) {
  const { projectId = '' } = useParams({ strict: false })
  const draft = (name: string) => `new task ${projectId} ${name}`
  const [title, setTitle, clearTitle] = useDraft(draft('title'), '')
  const [description, setDescription, clearDescription] = useDraft(draft('description'), '')
  const [task_type, setType, clearType] = useDraft(draft('type'), 'chore')
  const [priority, setPriority, clearPriority] = useDraft(draft('priority'), 'medium')
  const [state, setState, clearState] = useDraft(draft('state'), 'to_do')
  const [who, setWho, clearWho] = useDraft(draft('who'), '')
  const [labels, setLabels, clearLabels] = useDraft(draft('labels'), '')
  const create = useWrite('createTask', ['listTasks', 'countTasks', 'showOverview', 'listMembers'])
  const navigate = useNavigate()
  const say = useToast()
  const submit = async () => {
    const task = await create.mutateAsync({
      project_id: projectId,
      body: {
        task: {
          title,
          description,
          task_type: task_type as TaskType,
          priority: priority as Priority,
          state: state as TaskState,
          labels: labelsOf(labels),
          ...(who ? fieldsOf(who) : {}),
        },
      },
    })
    for (const clear of [clearTitle, clearDescription, clearType, clearPriority, clearState, clearWho, clearLabels]) clear()
    onClose()
    say(`Task #${task.id} created`)
    void navigate({ to: '/projects/$projectId/tasks/$taskId', params: { projectId, taskId: String(task.id) } })
  }
  return (
    <Form
      action="Create task"
      submit={submit}
      disabled={title.trim() === ''}
      beside={
        <Button look="quiet" onClick={onClose}>
          Close and keep draft
        </Button>
      }
    >
      <TextField label="Title" required maxLength={TITLE_MAX} value={title} onChange={setTitle} />
      <TextArea label="Description" value={description} onChange={setDescription} />
      <div className="grid gap-4 sm:grid-cols-3">
        <Select label="State" options={choicesOf('task_state', TASK_STATES)} value={state} onChange={setState} />
        <Select label="Type" options={choicesOf('task_type', TASK_TYPES)} value={task_type} onChange={setType} />
        <Select label="Priority" options={choicesOf('priority', PRIORITIES)} value={priority} onChange={setPriority} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <div className="grid content-start gap-1">
          <span className="text-sm font-medium">Assignee</span>
          <AssigneeChoice label="Assignee" value={who} onChange={setWho} none="Nobody" className="h-9 border-strong-line" />
        </div>
        <TextField label="Labels" placeholder="ui, regression" value={labels} onChange={setLabels} />
      </div>
    </Form>
  )
}

/** `ui, regression` → two labels. */
export const labelsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  ),
]
