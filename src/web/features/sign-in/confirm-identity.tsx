import { useState } from 'react'
import { PASSWORD } from '../../../contract/limits.ts'
import type { ConfirmMethod } from '../../../contract/sets.ts'
import { ask } from '../../api.ts'
import { useFreshSignIn } from '../../fresh-sign-in.ts'
import { useMe } from '../../session.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { CodeField } from './code-field.tsx'
import { answerWithPasskey, hasPasskeys, passkeyWords } from './passkey.ts'

/** Asks for a fresh sign-in if a request needs one, then sends the request again. */
export function ConfirmIdentity() {
  const waiting = useFreshSignIn()
  if (!waiting) return null
  return (
    <Dialog title="Confirm it’s you" open onClose={() => waiting.end(false)}>
      <p className="mb-4 text-sm text-soft">For your security, confirm your identity to continue.</p>
      <Ways methods={waiting.methods} onDone={() => waiting.end(true)} />
    </Dialog>
  )
}

interface Props {
  methods: readonly ConfirmMethod[]
  onDone(): void
}

function Ways({ methods, onDone }: Props) {
  const typed = methods.find((method) => method === 'code' || method === 'password')
  const passkey = methods.includes('passkey') && hasPasskeys()
  if (!typed && !passkey && !methods.includes('sso'))
    return <p className="text-sm">Sign out, sign in again, then repeat this step.</p>
  return (
    <div className="grid gap-4">
      {typed && <Typed method={typed} onDone={onDone} />}
      {passkey && <Passkey onDone={onDone} />}
      {methods.includes('sso') && <Provider />}
    </div>
  )
}

function Typed({ method, onDone }: { method: 'code' | 'password'; onDone(): void }) {
  const [value, setValue] = useState('')
  const submit = () => ask('confirmSession', { body: { [method]: value } }).then(onDone)
  return (
    <Form action="Confirm" submit={submit} disabled={value === ''}>
      {method === 'code' ? (
        <CodeField value={value} onChange={setValue} hint="The six digits your authenticator app shows, or a recovery code." />
      ) : (
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          maxLength={PASSWORD.maxLength}
          value={value}
          onChange={setValue}
        />
      )}
    </Form>
  )
}

function Passkey({ onDone }: { onDone(): void }) {
  const submit = async () => {
    const question = await ask('startPasskeySignIn', {})
    const passkey = await answerWithPasskey(question).catch((error: unknown) => {
      throw passkeyWords(error)
    })
    await ask('confirmSession', { body: { passkey } })
    onDone()
  }
  return (
    <Form action="Use passkey" submit={submit}>
      {null}
    </Form>
  )
}

function Provider() {
  const { user } = useMe()
  const go = async () => {
    const to = location.pathname + location.search
    const { redirect_to } = await ask('startSingleSignOn', { body: { email: user.email, to, again: true } })
    location.assign(redirect_to)
    // Until the browser has left.
    await new Promise(() => {})
  }
  return (
    <Form action="Sign in with your provider" submit={go}>
      <p className="text-sm text-soft">You come back to this page afterwards. Then repeat this step.</p>
    </Form>
  )
}
