import { useState } from 'react'
import { NAME_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { ENGINES } from '../projects/engines.ts'

export function FirstProject({ accountId, onMade }: { accountId: number; onMade(projectId: number): void }) {
  const [name, setName, clear] = useDraft('first project', '')
  const [engine, setEngine] = useState('unreal')
  const create = useWrite('createProject', ['showMe'])
  const submit = async () => {
    const { id } = await create.mutateAsync({ account_id: accountId, body: { name, engine } })
    clear()
    onMade(id)
  }
  return (
    <div className="grid max-w-sm gap-4">
      <p className="text-sm text-soft">A project is one game: its changes, builds, assets, tasks and releases.</p>
      <Form eager action="Create project" submit={submit} disabled={name.trim() === ''}>
        <TextField label="Name" required maxLength={NAME_MAX} placeholder="Name of the game" value={name} onChange={setName} />
        <Select label="Engine" options={ENGINES} value={engine} onChange={setEngine} />
      </Form>
    </div>
  )
}
