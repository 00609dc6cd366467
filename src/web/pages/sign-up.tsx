import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ask } from '../api.ts'
import { Notice } from '../parts/notice.tsx'
import { OutsideFrame } from '../parts/outside-frame.tsx'
import { SignUpForm } from '../parts/sign-up-form.tsx'

export default function SignUp() {
  const navigate = useNavigate()
  const { data } = useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) })
  return (
    <OutsideFrame
      title="Make an account"
      below={
        <Link to="/sign-in" className="underline">
          I have one already
        </Link>
      }
    >
      {data && !data.sign_up ? (
        <Notice>Signing up needs an invitation here: ask somebody who is in to invite you.</Notice>
      ) : (
        <>
          <p className="mb-4 text-sm text-soft">Fourteen days with everything in it; no payment details needed.</p>
          <SignUpForm action="Make my account" onDone={() => void navigate({ to: '/feed' })} />
        </>
      )}
    </OutsideFrame>
  )
}
