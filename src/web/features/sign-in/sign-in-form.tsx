import { useState } from 'react'
import { auth } from '../../api.ts'
import { connection } from '../../connection.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { OwnEmail } from '../settings/own-email.tsx'

export function SignInForm({ onDone }: { onDone(): void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const submit = async () => {
    await auth('/sign-in/email', { email, password, rememberMe: true })
    connection.signedIn()
    onDone()
  }
  return (
    <Form eager action="Sign in" submit={submit}>
      <OwnEmail value={email} onChange={setEmail} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </Form>
  )
}
