import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { follow, wordsOf } from '../../api.ts'
import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'

/** Where the link in the mail leads that confirms an address. */
export default function Verify() {
  const { token = '' } = useSearch({ strict: false }) as { token?: string }
  const { isSuccess, error } = useQuery({
    queryKey: ['verify', token],
    queryFn: () => follow(`/verify-email?token=${encodeURIComponent(token)}`),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <OutsideFrame
      title="Confirm your address"
      below={
        <Link to="/feed" className="underline">
          Go on
        </Link>
      }
    >
      {isSuccess && <Notice kind="ok">Thank you: your address is confirmed.</Notice>}
      {error && <Notice kind="err">{wordsOf(error)} If that does not help, ask for a new link in your profile.</Notice>}
    </OutsideFrame>
  )
}
