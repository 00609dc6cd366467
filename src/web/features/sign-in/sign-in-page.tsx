import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ask } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { OutsideFrame } from './outside-frame.tsx'
import { SignInForm } from './sign-in-form.tsx'

export default function SignIn() {
  const { to } = useSearch({ strict: false }) as { to?: string }
  const navigate = useNavigate()
  const { data } = useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) })
  const done = () => {
    queryClient.clear()
    // Only a page of ours: an address with a host of its own leads elsewhere.
    void navigate({ href: to?.startsWith('/') && !to.startsWith('//') ? to : '/feed', replace: true })
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
              Make an account
            </Link>
          )}
        </div>
      }
    >
      <SignInForm onDone={done} />
    </OutsideFrame>
  )
}
