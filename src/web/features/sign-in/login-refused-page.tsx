import { useSearch } from '@tanstack/react-router'
import { LoginEnds } from './login-ends.tsx'

/** The address names a reason, never the words: anybody could have written them. */
export default function LoginRefused() {
  const { why } = useSearch({ strict: false }) as { why?: string }
  return (
    <LoginEnds>
      {why === 'invalid_client'
        ? 'The assistant that sent you here is not registered here, or no longer. Add this server to it once more and log in again there.'
        : 'The assistant that sent you here asks in a way that is not in order: it wants the answer at an address that it did not register, or a part of its request is missing or wrong. If you did not start this yourself, close this page; otherwise log in again where you came from.'}
    </LoginEnds>
  )
}
