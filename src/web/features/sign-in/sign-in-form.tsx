import { useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, ask, auth, wordsOf } from '../../api.ts'
import { connection } from '../../connection.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OwnEmail } from '../settings/own-email.tsx'
import { CodeField } from './code-field.tsx'
import { answerWithPasskey, hasPasskeys, passkeyWords } from './passkey.ts'

interface Props {
  onDone(): void
  /** Where a provider redirects back to; this page by default. */
  to?: string | undefined
}

/** Every sign-in method. */
export function SignInForm({ onDone, to }: Props) {
  const [email, setEmail] = useState('')
  const [challenge, setChallenge] = useState<string>()
  const [elsewhere, setElsewhere] = useState(false)
  const here = useRouterState({ select: (state) => state.location.href })
  const done = () => {
    connection.signedIn()
    onDone()
  }
  const leave = async () => {
    const { redirect_to } = await ask('startSingleSignOn', { body: { email, to: to ?? here } })
    location.assign(redirect_to)
    // The button stays busy until the browser has left.
    await new Promise(() => {})
  }
  if (challenge) return <CodeForm challenge={challenge} onDone={done} onBack={() => setChallenge(undefined)} />
  if (elsewhere)
    return (
      <Form eager action="Continue" submit={leave} beside={<Button onClick={() => setElsewhere(false)}>Use password</Button>}>
        <OwnEmail value={email} onChange={setEmail} />
        <p className="text-sm text-soft">You sign in with your studio’s identity provider and come back here.</p>
      </Form>
    )
  return (
    <div className="grid gap-4">
      <PasswordForm email={email} onEmail={setEmail} onDone={done} onChallenge={setChallenge} leave={leave} />
      <div className="flex flex-wrap gap-2 border-t border-line pt-4">
        <Button onClick={() => setElsewhere(true)}>Single sign-on</Button>
        {hasPasskeys() && <PasskeyButton onDone={done} />}
      </div>
    </div>
  )
}

interface PasswordProps {
  email: string
  onEmail(email: string): void
  onDone(): void
  onChallenge(challenge: string): void
  leave(): Promise<void>
}

function PasswordForm({ email, onEmail, onDone, onChallenge, leave }: PasswordProps) {
  const [password, setPassword] = useState('')
  const submit = async () => {
    try {
      const answer = await auth<{ two_factor?: string }>('/sign-in/email', { email, password, rememberMe: true })
      if (answer.two_factor) onChallenge(answer.two_factor)
      else onDone()
    } catch (error) {
      // Their studio requires its provider: redirect there.
      if (!(error instanceof ApiError) || error.code !== 'sso_required') throw error
      await leave()
    }
  }
  return (
    <Form eager action="Sign in" submit={submit}>
      <OwnEmail value={email} onChange={onEmail} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
    </Form>
  )
}

function CodeForm({ challenge, onDone, onBack }: { challenge: string; onDone(): void; onBack(): void }) {
  const [code, setCode] = useState('')
  const submit = async () => {
    await ask('completeTwoFactor', { body: { challenge, code } })
    onDone()
  }
  return (
    <Form eager action="Sign in" submit={submit} beside={<Button onClick={onBack}>Back</Button>}>
      <CodeField value={code} onChange={setCode} hint="The six digits in your authenticator app, or a recovery code." />
    </Form>
  )
}

function PasskeyButton({ onDone }: { onDone(): void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const signIn = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await ask('completePasskeySignIn', { body: await answerWithPasskey(await ask('startPasskeySignIn', {})) })
      onDone()
    } catch (failure) {
      setError(wordsOf(passkeyWords(failure)))
    }
    setBusy(false)
  }
  return (
    <>
      <Button busy={busy} onClick={signIn}>
        Use passkey
      </Button>
      {error && (
        <div className="w-full">
          <Notice kind="err">{error}</Notice>
        </div>
      )}
    </>
  )
}
