import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Section } from '../../ui/page.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DeleteMe() {
  const { user } = useMe()
  const remove = useWrite('deleteMe')
  const run = async (email: string) => {
    await remove.mutateAsync({ body: { email } })
    location.assign('/sign-in')
  }
  return (
    <Section title="Delete my user">
      <p className="max-w-prose text-sm text-soft">
        Your email address and name are removed everywhere. What you did is shown as done by “Former member”. Data of your
        accounts is kept.
      </p>
      <DeleteDialog action="Delete my user" title="Delete your user?" label="Your email address" name={user.email} run={run}>
        <p>You are signed out everywhere and your tokens are revoked at once. This can’t be undone.</p>
        <p>If you are the last owner of an account, make somebody else an owner first, or delete the account.</p>
      </DeleteDialog>
    </Section>
  )
}
