import { useQueryClient } from '@tanstack/react-query'
import { refresh, useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Filter } from '../../ui/form/field.tsx'
import { useReport } from '../../ui/toast.tsx'

/** The account switcher for people with several accounts; the feed follows. */
export function AccountChoice() {
  const { accounts, user } = useMe()
  const edit = useWrite('editMe')
  const client = useQueryClient()
  const report = useReport()
  if (accounts.length < 2) return null
  const choose = async (id: string) => {
    await edit.mutateAsync({ body: { default_account_id: Number(id) } })
    await refresh(client, ['showMe'])
  }
  return (
    <Filter
      label="Account"
      value={String(user.default_account_id ?? accounts[0]!.id)}
      disabled={edit.isPending}
      onChange={(value) => void report(choose(value))}
      options={accounts.map(({ id, name }) => [String(id), name] as const)}
    />
  )
}
