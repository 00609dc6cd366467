import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useConnection } from '../../connection.ts'
import { refreshAll } from '../../queries.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { isOutside } from './outside.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Signing in again without leaving the page: all input is kept. */
export function SessionOver() {
  const { signedOut } = useConnection()
  const client = useQueryClient()
  const path = useRouterState({ select: (state) => state.location.pathname })
  if (!signedOut || isOutside(path)) return null
  return (
    <Dialog title="Your session has ended" open onClose={() => {}} firm>
      <p className="mb-4 text-sm text-soft">Sign in again to continue. Nothing you typed is lost.</p>
      <SignInForm onDone={() => void refreshAll(client)} />
    </Dialog>
  )
}
