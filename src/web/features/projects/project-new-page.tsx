import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NAME_MAX } from '../../../contract/limits.ts'
import { refresh, useWrite } from '../../queries.ts'
import { integrationsPage } from '../../record-pages.ts'
import { useAccount, useMe } from '../../session.ts'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Page } from '../../ui/page.tsx'
import { ENGINES } from './engines.ts'

export default function ProjectNew() {
  const { accounts } = useMe()
  const [account, setAccount] = useState(String(useAccount()?.id ?? ''))
  const [name, setName] = useState('')
  const [engine, setEngine] = useState('unreal')
  const create = useWrite('createProject')
  const client = useQueryClient()
  const navigate = useNavigate()
  const submit = async () => {
    const { id } = await create.mutateAsync({ account_id: account, body: { name, engine } })
    await refresh(client, ['showMe'])
    await navigate(integrationsPage(id))
  }
  return (
    <Page title="New project">
      <div className="max-w-md">
        <Form eager action="Create project" submit={submit}>
          <TextField label="Name" required maxLength={NAME_MAX} placeholder="Name of the game" value={name} onChange={setName} />
          <Select label="Engine" options={ENGINES} value={engine} onChange={setEngine} />
          {accounts.length > 1 && (
            <Select
              label="Account"
              options={accounts.map(({ id, name }) => [String(id), name] as const)}
              value={account}
              onChange={setAccount}
            />
          )}
        </Form>
      </div>
    </Page>
  )
}
