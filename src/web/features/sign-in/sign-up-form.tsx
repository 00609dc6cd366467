import { type ReactNode, useState } from 'react'
import { NAME_MAX } from '../../../contract/limits.ts'
import { connection } from '../../connection.ts'
import { queryClient } from '../../queries.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { OwnEmail } from '../settings/own-email.tsx'
import { NewPassword } from './new-password.tsx'

interface Props {
  action: string
  /** If given, it is fixed: an invitation is for one address. */
  email?: string
  signUp(person: { name: string; email: string; password: string }): Promise<unknown>
  onDone(): void
  /** Additional fields at the top. */
  children?: ReactNode
}

/** A new user, who is signed in afterwards. */
export function SignUpForm({ action, email: given, signUp, onDone, children }: Props) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState(given ?? '')
  const [password, setPassword] = useState('')
  const submit = async () => {
    await signUp({ name, email, password })
    connection.signedIn()
    queryClient.clear()
    onDone()
  }
  return (
    <Form eager action={action} submit={submit}>
      {children}
      <OwnName value={name} onChange={setName} />
      <OwnEmail value={email} onChange={setEmail} fixed={given !== undefined} />
      <NewPassword label="Password" value={password} onChange={setPassword} />
    </Form>
  )
}

export const OwnName = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <TextField
    label="Your name"
    hint="Shown to your colleagues."
    autoComplete="name"
    required
    maxLength={NAME_MAX}
    value={value}
    onChange={onChange}
  />
)
