import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { isSignInRefusal, SIGN_IN_REFUSALS } from '../../../contract/app/sign-in-refusals.ts'
import { ask } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignIn() {
  const { to, why = '' } = useSearch({ strict: false }) as { to?: string; why?: string }
  const navigate = useNavigate()
  const { data } = useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) })
  // Only a page of ours: a URL with a host leads elsewhere.
  const next = to?.startsWith('/') && !to.startsWith('//') ? to : '/feed'
  const done = () => {
    queryClient.clear()
    void navigate({ href: next, replace: true })
  }
  return (
    <OutsideFrame
      title="Sign in to Goldmaster"
      below={
        <div className="grid gap-1">
          <Link to="/reset" className="underline">
            Forgot your password?
          </Link>
          {data?.sign_up && (
            <Link to="/sign-up" className="underline">
              Create account
            </Link>
          )}
        </div>
      }
    >
      {isSignInRefusal(why) && (
        <div className="mb-4">
          <Notice kind="err">{SIGN_IN_REFUSALS[why]}</Notice>
        </div>
      )}
      <SignInForm onDone={done} to={next} />
    </OutsideFrame>
  )
}
