import { useState } from 'react'
import { SHARE_DAYS, SHARE_DAYS_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Copy } from '../../ui/text/copy.tsx'

interface Props {
  projectId: string
  buildId: string
  artifact: { id: string; name: string }
  onClose(): void
}

export function ShareDialog({ projectId, buildId, artifact, onClose }: Props) {
  const [days, setDays] = useState(String(SHARE_DAYS))
  const [url, setUrl] = useState<string>()
  const create = useWrite('createShareLink', ['listShareLinks', 'listBuildHistory'])
  const submit = async () => {
    const body = { artifact_id: artifact.id, days: Number(days) }
    const made = await create.mutateAsync({ project_id: projectId, build_run_id: buildId, body })
    setUrl(made.url)
  }
  return (
    <Dialog title={`Share ${artifact.name}`} open onClose={onClose}>
      {url ? (
        <div className="grid grid-cols-1 gap-2">
          <p className="text-sm">Anybody with this link can download the file until it expires. It is shown only now.</p>
          <Copy label="Share link" value={url} />
        </div>
      ) : (
        <Form action="Create link" submit={submit} disabled={days.trim() === ''}>
          <TextField
            label="Expires after (days)"
            hint="The link also stops working when it is revoked, or when you lose access to the project."
            type="number"
            min={1}
            max={SHARE_DAYS_MAX}
            required
            value={days}
            onChange={setDays}
          />
        </Form>
      )}
    </Dialog>
  )
}
