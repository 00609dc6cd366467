import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api.ts'
import { connection } from '../../connection.ts'
import { queryClient } from '../../queries.ts'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OwnEmail } from '../settings/own-email.tsx'
import { NewPassword } from './new-password.tsx'
import { OutsideFrame } from './outside-frame.tsx'
import { OwnName } from './sign-up-form.tsx'

/** Asks for a link without a token, and for a password with one: the mail proves the address before there is a user. */
export default function SignUp() {
  const { token } = useSearch({ strict: false }) as { token?: string }
  const { data } = useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) })
  return (
    <OutsideFrame
      title={token ? 'Choose a password' : 'Make an account'}
      below={
        <Link to="/sign-in" className="underline">
          I have one already
        </Link>
      }
    >
      {data && !data.sign_up && <Notice>Signing up needs an invitation here: ask somebody who is in to invite you.</Notice>}
      {data?.sign_up && (token ? <Choose token={token} /> : <AskForLink mailing={data.mailing} />)}
    </OutsideFrame>
  )
}

function AskForLink({ mailing }: { mailing: boolean }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  if (sent)
    return (
      <Notice kind="ok">
        {mailing
          ? `We have written to ${email}: follow the link in the mail to choose a password. It works for one hour.`
          : `No mail leaves this service: ask whoever runs it for the link that was written to ${email}. It works for one hour.`}
      </Notice>
    )
  return (
    <Form eager action="Go on" submit={() => ask('requestSignUp', { body: { name, email } }).then(() => setSent(true))}>
      <OwnName value={name} onChange={setName} />
      <OwnEmail value={email} onChange={setEmail} />
    </Form>
  )
}

function Choose({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const navigate = useNavigate()
  const submit = async () => {
    await ask('completeSignUp', { body: { token, password } })
    connection.signedIn()
    queryClient.clear()
    await navigate({ to: '/feed' })
  }
  return (
    <Form eager action="Make my account" submit={submit}>
      <NewPassword label="Password" value={password} onChange={setPassword} />
    </Form>
  )
}
