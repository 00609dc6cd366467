import { NAME_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'

interface Props {
  projectId: string
  onMade(token: string): void
  onClose(): void
}

export function NewUgsToken({ projectId, onMade, onClose }: Props) {
  const [name, setName, clear] = useDraft(`ugs token name ${projectId}`, '')
  const create = useWrite('createUgsToken', ['listUgsTokens'])
  const submit = async () => {
    const { token } = await create.mutateAsync({ project_id: projectId, body: { name } })
    setName('')
    clear()
    onMade(token)
    onClose()
  }
  return (
    <Dialog title="New token" open onClose={onClose}>
      <Form action="Create token" submit={submit} disabled={name.trim() === ''}>
        <TextField
          label="Name"
          hint="Who uses it."
          placeholder="Everybody on the project"
          required
          maxLength={NAME_MAX}
          value={name}
          onChange={setName}
        />
      </Form>
    </Dialog>
  )
}
