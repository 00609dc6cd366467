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

/** Without a token it requests a link, with one a password: the email verifies the address before there is a user. */
export default function SignUp() {
  const { token } = useSearch({ strict: false }) as { token?: string }
  const { data } = useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) })
  return (
    <OutsideFrame
      title={token ? 'Choose a password' : 'Create account'}
      below={
        <Link to="/sign-in" className="underline">
          I already have an account
        </Link>
      }
    >
      {data && !data.sign_up && (
        <Notice>You need an invitation to sign up here. Ask a colleague who uses this service to invite you.</Notice>
      )}
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
          ? `We sent an email to ${email}. Open its link to choose a password. The link works for one hour.`
          : `This service can’t send email. Ask its operator for the link for ${email}. It works for one hour.`}
      </Notice>
    )
  return (
    <Form eager action="Continue" submit={() => ask('requestSignUp', { body: { name, email } }).then(() => setSent(true))}>
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
    <Form eager action="Create account" submit={submit}>
      <NewPassword label="Password" value={password} onChange={setPassword} />
    </Form>
  )
}
