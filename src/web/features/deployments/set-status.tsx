import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { NOTE_MAX } from '../../../contract/limits.ts'
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../../contract/sets.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'

/** For stores that don't report: a person sets the status, with a reason. */
export function SetStatus({ projectId, deployment }: { projectId: string; deployment: AppReply<'showDeployment'> }) {
  const [open, setOpen] = useState(false)
  const [status, setStatus] = useState<DeploymentStatus>(deployment.status)
  const [note, setNote] = useState('')
  const edit = useWrite('editDeployment', [
    'showDeployment',
    'listDeployments',
    'listDeploymentHistory',
    'compareDeployment',
    'listStoreNews',
  ])
  const submit = async () => {
    await edit.mutateAsync({ project_id: projectId, id: deployment.id, body: { status, note: note.trim() } })
    setOpen(false)
    setNote('')
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Set status</Button>
      <Dialog title="Set status" open={open} onClose={() => setOpen(false)}>
        <Form action="Set status" submit={submit} done="Status set" disabled={note.trim() === ''}>
          <Select
            label="Status"
            value={status}
            onChange={(value) => setStatus(value as DeploymentStatus)}
            options={DEPLOYMENT_STATUSES.map((value) => [value, statusLabel({ ...deployment, status: value })] as const)}
          />
          <TextArea
            label="Reason"
            hint="Shown in the history with your name."
            rows={2}
            maxLength={NOTE_MAX}
            value={note}
            onChange={setNote}
          />
        </Form>
      </Dialog>
    </>
  )
}
