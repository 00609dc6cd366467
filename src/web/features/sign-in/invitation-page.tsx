import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, ask, wordsOf } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'
import { SignUpForm } from './sign-up-form.tsx'

/** The page of an invitation link: join with an existing user, or create one. */
export default function Invitation() {
  const { token = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const [error, setError] = useState<string>()
  const { data, error: missing } = useQuery({
    queryKey: ['showInvitation', token],
    queryFn: () => ask('showInvitation', { token }),
  })
  const join = async () => {
    try {
      await ask('acceptInvitation', { token })
      queryClient.clear()
      await navigate({ to: '/feed' })
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 401)
        await navigate({ to: '/sign-in', search: { to: `/invitations/${token}` } as never })
      else setError(wordsOf(failure))
    }
  }
  if (missing)
    return (
      <OutsideFrame title="This invitation is no longer valid">
        It was used or withdrawn, or it expired after 7 days. Ask for a new one.
      </OutsideFrame>
    )
  return (
    <OutsideFrame
      title={data ? `Join ${data.account_name}` : 'Invitation'}
      below={
        <Link to="/sign-in" className="underline">
          Sign in
        </Link>
      }
    >
      {error && <Notice kind="err">{error}</Notice>}
      {data?.has_user && (
        <Button look="main" onClick={join}>
          Join as {data.email}
        </Button>
      )}
      {data && !data.has_user && (
        <SignUpForm
          action={`Join ${data.account_name}`}
          email={data.email}
          signUp={(person) => ask('joinByInvitation', { body: { ...person, invitation: token } })}
          onDone={() => void navigate({ to: '/feed' })}
        />
      )}
    </OutsideFrame>
  )
}
