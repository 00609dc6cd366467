import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { wordsOf } from '../../api.ts'
import { useProviderLabel } from '../../providers.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'

/** Members' claimed names in other tools, for an owner to confirm; renders nothing if there are none. */
export function ClaimedAccounts({ account }: { account: AccountSummary }) {
  const { data } = useApi('listClaimedAccounts', { account_id: account.id })
  const confirm = useWrite('confirmClaimedAccount', ['listClaimedAccounts', 'listConnectedAccounts', 'listMembers'])
  const say = useToast()
  const labelOf = useProviderLabel()
  if (!data || data.connected_accounts.length === 0) return null
  const run = async (id: number, name: string, uid: string) => {
    try {
      await confirm.mutateAsync({ account_id: account.id, id })
      say(`${uid} confirmed as ${name}`)
    } catch (error) {
      say(wordsOf(error), 'err')
    }
  }
  return (
    <Section title="Names to confirm">
      <p className="max-w-prose text-sm text-soft">
        Members say that these are their names in other tools. After you confirm a name, its changes are credited to the member,
        who can then be suspected and mentioned in chat.
      </p>
      <Table
        caption="Names to confirm"
        rows={data.connected_accounts}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Member', cell: ({ name }) => <span className="font-medium">{name}</span> },
          { head: 'Tool', cell: ({ provider }) => labelOf(provider) },
          { head: 'Name in the tool', cell: ({ uid }) => <code className="break-all font-mono text-xs">{uid}</code> },
          { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: 'Actions',
            className: 'text-right',
            cell: ({ id, name, uid }) => (
              <Button
                disabled={account.read_only !== null}
                busy={confirm.isPending && confirm.variables.id === id}
                onClick={() => void run(id, name, uid)}
              >
                Confirm <span className="sr-only">{uid}</span>
              </Button>
            ),
          },
        ]}
      />
    </Section>
  )
}
