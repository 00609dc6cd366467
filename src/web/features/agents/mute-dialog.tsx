import { useState } from 'react'
import { NOTE_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'

const DAY_MS = 24 * 3_600_000

const SPANS = [
  ['1', '1 day'],
  ['7', '1 week'],
  ['30', '30 days'],
  ['', 'Until somebody unmutes it'],
] as const

export function MuteDialog({ projectId, agent, onClose }: { projectId: string; agent: string; onClose(): void }) {
  const [reason, setReason] = useState('')
  const [days, setDays] = useState('7')
  const edit = useWrite('muteAgent', ['listAgents'])
  const submit = async () => {
    const muted_until = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    await edit.mutateAsync({ project_id: projectId, body: { agent, reason: reason.trim(), muted_until } })
    onClose()
  }
  return (
    <Dialog title={`Mute ${agent}`} open onClose={onClose}>
      <Form action="Mute" submit={submit} done={`${agent} muted`} disabled={reason.trim() === ''}>
        <p className="text-sm text-soft">
          Failures on this agent open no breakages and notify nobody. Its builds stay in all lists.
        </p>
        <TextField label="Reason" required maxLength={NOTE_MAX} value={reason} onChange={setReason} />
        <Select label="For" options={SPANS} value={days} onChange={setDays} />
      </Form>
    </Dialog>
  )
}
