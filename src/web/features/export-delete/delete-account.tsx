import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Section } from '../../ui/page.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DeleteAccount({ account }: { account: AppReply<'showAccount'> }) {
  const remove = useWrite('deleteAccount')
  const run = async (name: string) => {
    await remove.mutateAsync({ account_id: account.id, body: { name } })
    // Whoever belongs to no other account is signed out.
    location.assign('/')
  }
  return (
    <Section title="Delete the account">
      <p className="max-w-prose text-sm text-soft">
        With its {account.projects} projects, their builds, tasks and logs, and everybody who belongs to no other account.
      </p>
      <DeleteDialog
        action="Delete the account"
        title={`Delete ${account.name}?`}
        label="Name of the account"
        name={account.name}
        run={run}
      >
        <p>Nobody reaches it from this moment on, its tools are refused, and what it has is deleted in the background.</p>
        <p>
          Nothing brings it back. Export it above and fetch the file first, if you may want it again: files go with the account.
        </p>
      </DeleteDialog>
    </Section>
  )
}
