import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Section } from '../../ui/page.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DeleteAccount({ account }: { account: AppReply<'showAccount'> }) {
  const remove = useWrite('deleteAccount')
  const run = async (name: string) => {
    await remove.mutateAsync({ account_id: account.id, body: { name } })
    // A person without another account is signed out.
    location.assign('/')
  }
  return (
    <Section title="Delete account">
      <p className="max-w-prose text-sm text-soft">
        Deletes the account with its {account.projects} projects, their builds, tasks and logs, and all users who belong to no
        other account.
      </p>
      <DeleteDialog action="Delete account" title={`Delete ${account.name}?`} label="Account name" name={account.name} run={run}>
        <p>Everybody loses access at once, deliveries from its tools are refused, and its data is deleted in the background.</p>
        <p>
          This can’t be undone. If you may need the data, export the account and download the file first: export files are deleted
          too.
        </p>
      </DeleteDialog>
    </Section>
  )
}
