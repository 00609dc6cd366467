import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useReport } from '../../ui/toast.tsx'

type Test = AppReply<'showTest'>

const DAY_MS = 86_400_000
const SPANS = [
  ['7', '1 week'],
  ['14', '2 weeks'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const

/** Quarantines a test, or releases it. */
export function QuarantineButton({ projectId, test }: { projectId: string; test: Test }) {
  const edit = useWrite('editTest', ['showTest', 'listTests'])
  const report = useReport()
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [days, setDays] = useState<string>(SPANS[1][0])
  const put = (quarantined_until: string | null) =>
    edit.mutateAsync({
      project_id: projectId,
      id: test.id,
      body: quarantined_until === null ? { quarantined_until } : { quarantined_until, reason },
    })
  if (test.quarantine !== null)
    return <Button onClick={() => void report(put(null), 'Test released', 'Not saved: ')}>End quarantine</Button>
  return (
    <>
      <Button onClick={() => setOpen(true)}>Quarantine</Button>
      <Dialog title="Quarantine this test" open={open} onClose={() => setOpen(false)}>
        <Form
          action="Quarantine"
          done="Test quarantined"
          submit={async () => {
            await put(new Date(Date.now() + Number(days) * DAY_MS).toISOString())
            setOpen(false)
          }}
        >
          <p className="text-sm text-soft">
            Its failures open no breakage and notify nobody. They are still counted and shown. You become its owner.
          </p>
          <TextField label="Reason" value={reason} onChange={setReason} required maxLength={500} />
          <Select label="Ends after" value={days} onChange={setDays} options={SPANS} />
        </Form>
      </Dialog>
    </>
  )
}

/** Until when, why and for whom a test is in quarantine. */
export function QuarantineNotice({ quarantine }: { quarantine: Test['quarantine'] }) {
  const names = useNames()
  if (quarantine === null) return null
  const { until, reason, owner_user_id } = quarantine
  return (
    <Notice>
      In quarantine until <Time at={until} />: {reason}
      {owner_user_id !== null && ` (owner: ${names(owner_user_id)})`}
    </Notice>
  )
}
