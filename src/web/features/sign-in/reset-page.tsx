import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api.ts'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useToast } from '../../ui/toast.tsx'
import { OwnEmail } from '../settings/own-email.tsx'
import { useMailing } from './mailing.ts'
import { NewPassword } from './new-password.tsx'
import { OutsideFrame } from './outside-frame.tsx'

/** Asks for a link without a token, and for a new password with one. */
export default function Reset() {
  const { token } = useSearch({ strict: false }) as { token?: string }
  const back = (
    <Link to="/sign-in" className="underline">
      Back to signing in
    </Link>
  )
  return (
    <OutsideFrame title={token ? 'Choose a new password' : 'Forgot your password?'} below={back}>
      {token ? <SetPassword token={token} /> : <AskForLink />}
    </OutsideFrame>
  )
}

function AskForLink() {
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const mailing = useMailing()
  if (sent)
    return (
      <Notice kind="ok">
        {mailing === false
          ? `If ${email} belongs to somebody here, whoever runs this service now finds a link for it under Settings, Mails: ask them for it. It works for one hour.`
          : `If ${email} belongs to somebody here, a link is on its way. It works for one hour.`}
      </Notice>
    )
  return (
    <div className="grid gap-4">
      {mailing === false && (
        <Notice>
          No mail leaves this service. Whoever runs it can hand you the link that is made here, or set a new password where it
          runs: <code className="break-words">goldmaster admin user set-password {email.trim() || 'ADDRESS'}</code>
        </Notice>
      )}
      <Form
        eager
        action={mailing === false ? 'Make a link' : 'Send me a link'}
        submit={() => ask('requestPasswordReset', { body: { email } }).then(() => setSent(true))}
      >
        <OwnEmail value={email} onChange={setEmail} />
      </Form>
    </div>
  )
}

function SetPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const say = useToast()
  const submit = async () => {
    await ask('completePasswordReset', { body: { token, password } })
    say('Your password is changed. Sign in with it.')
    await navigate({ to: '/sign-in' })
  }
  return (
    <Form eager action="Set this password" submit={submit}>
      <NewPassword
        label="New password"
        also="Everybody who is signed in as you will be signed out, and your API tokens are revoked."
        value={password}
        onChange={setPassword}
      />
    </Form>
  )
}
