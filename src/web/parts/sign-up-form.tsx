import { useState } from 'react'
import { ask } from '../api.ts'
import { connection } from '../connection.ts'
import { queryClient } from '../queries.ts'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { NewPassword } from './new-password.tsx'
import { OwnEmail } from './own-email.tsx'

interface Props {
  action: string
  email?: string
  invitation?: string
  onDone(): void
}

export function SignUpForm({ action, email: given = '', invitation, onDone }: Props) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState(given)
  const [password, setPassword] = useState('')
  const submit = async () => {
    await ask('signUp', { body: { name, email, password, ...(invitation ? { invitation } : {}) } })
    connection.signedIn()
    queryClient.clear()
    onDone()
  }
  return (
    <Form eager action={action} submit={submit}>
      <TextField
        label="Your name"
        hint="What your colleagues see."
        autoComplete="name"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <OwnEmail value={email} onChange={setEmail} />
      <NewPassword label="Password" value={password} onChange={setPassword} />
    </Form>
  )
}
