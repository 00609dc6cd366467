import { useSearch } from '@tanstack/react-router'
import { LoginEnds } from './login-ends.tsx'

/** The URL contains a reason code, never the text: anybody could have written it. */
export default function LoginRefused() {
  const { why } = useSearch({ strict: false }) as { why?: string }
  return (
    <LoginEnds>
      {why === 'invalid_client'
        ? 'The assistant that opened this page isn’t registered with this server. Add the server to the assistant again, then log in from there.'
        : 'The assistant that opened this page sent an invalid request: its redirect URL isn’t registered, or a parameter is missing or wrong. If you started this login, try again from the assistant. If you didn’t, close this page.'}
    </LoginEnds>
  )
}
