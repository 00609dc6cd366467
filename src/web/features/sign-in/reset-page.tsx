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

/** Without a token it requests a link, with one a new password. */
export default function Reset() {
  const { token } = useSearch({ strict: false }) as { token?: string }
  const back = (
    <Link to="/sign-in" className="underline">
      Back to sign-in
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
          ? `If ${email} has a user here, the operator of this service can see a reset link under Settings, Emails. Ask them for it. It works for one hour.`
          : `If ${email} has a user here, we sent a link. It works for one hour.`}
      </Notice>
    )
  return (
    <div className="grid gap-4">
      {mailing === false && (
        <Notice>
          This service can’t send email. Its operator can give you the reset link, or set a new password with:{' '}
          <code className="break-words">goldmaster admin user set-password {email.trim() || 'ADDRESS'}</code>
        </Notice>
      )}
      <Form
        eager
        action={mailing === false ? 'Create link' : 'Send link'}
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
    say('Password changed. Sign in with your new password.')
    await navigate({ to: '/sign-in' })
  }
  return (
    <Form eager action="Change password" submit={submit}>
      <NewPassword
        label="New password"
        also="You are signed out everywhere, and your API tokens are revoked."
        value={password}
        onChange={setPassword}
      />
    </Form>
  )
}
