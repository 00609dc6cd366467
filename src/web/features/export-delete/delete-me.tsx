import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Section } from '../../ui/page.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

/** Everybody may go. */
export function DeleteMe() {
  const { user } = useMe()
  const remove = useWrite('deleteMe')
  const run = async (email: string) => {
    await remove.mutateAsync({ body: { email } })
    location.assign('/sign-in')
  }
  return (
    <Section title="Delete my login">
      <p className="max-w-prose text-sm text-soft">
        Your address and full name are taken out of everything; what you did says "Former member". What the accounts have stays.
      </p>
      <DeleteDialog action="Delete my login" title="Delete your login?" label="Your e-mail address" name={user.email} run={run}>
        <p>You are signed out everywhere and your tokens end at once. Nothing brings it back.</p>
        <p>If you are the last owner of an account, make somebody else one first, or delete the account.</p>
      </DeleteDialog>
    </Section>
  )
}
