import { useNavigate, useParams } from '@tanstack/react-router'
import { choicesOf } from '../../../contract/labels.ts'
import { TITLE_MAX } from '../../../contract/limits.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { taskPage } from '../../record-pages.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AssigneeChoice } from './assignee.tsx'
import { NEW_TASK, type TaskDraft, taskOf } from './task-draft.ts'

export const TaskNew = ({ open, onClose }: { open: boolean; onClose(): void }) => (
  <Dialog title="New task" open={open} onClose={onClose}>
    <Fields onClose={onClose} />
  </Dialog>
)

/** Input is kept when the dialog is closed, until the task exists. */
function Fields({ onClose }: { onClose(): void }) {
  const { projectId = '' } = useParams({ strict: false })
  const [stored, store, clear] = useDraft(`new task ${projectId}`, JSON.stringify(NEW_TASK))
  const draft: TaskDraft = JSON.parse(stored)
  const input = (name: keyof TaskDraft) => ({
    value: draft[name],
    onChange: (value: string) => store(JSON.stringify({ ...draft, [name]: value })),
  })
  const create = useWrite('createTask', ['listTasks', 'countTasks', 'showOverview', 'listMembers'])
  const navigate = useNavigate()
  const say = useToast()
  const submit = async () => {
    const task = await create.mutateAsync({ project_id: projectId, body: { task: taskOf(draft) } })
    clear()
    onClose()
    say(`Task #${task.id} created`)
    void navigate(taskPage(projectId, task.id))
  }
  return (
    <Form
      action="Create task"
      submit={submit}
      disabled={draft.title.trim() === ''}
      beside={
        <Button look="quiet" onClick={onClose}>
          Close and keep draft
        </Button>
      }
    >
      <TextField label="Title" required maxLength={TITLE_MAX} {...input('title')} />
      <TextArea label="Description" {...input('description')} />
      <div className="grid gap-4 sm:grid-cols-3">
        <Select label="State" options={choicesOf('task_state', TASK_STATES)} {...input('state')} />
        <Select label="Type" options={choicesOf('task_type', TASK_TYPES)} {...input('task_type')} />
        <Select label="Priority" options={choicesOf('priority', PRIORITIES)} {...input('priority')} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <div className="grid content-start gap-1">
          <span className="text-sm font-medium">Assignee</span>
          <AssigneeChoice label="Assignee" {...input('assignee')} none="Nobody" className="h-9 border-strong-line" />
        </div>
        <TextField label="Labels" placeholder="ui, regression" {...input('labels')} />
      </div>
    </Form>
  )
}
