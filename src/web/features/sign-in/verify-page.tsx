import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { follow, wordsOf } from '../../api.ts'
import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'

/** The page of the link that verifies an address. */
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
      title="Confirm your email address"
      below={
        <Link to="/feed" className="underline">
          Continue
        </Link>
      }
    >
      {isSuccess && <Notice kind="ok">Your email address is confirmed.</Notice>}
      {error && <Notice kind="err">{wordsOf(error)} If this doesn’t work, request a new link in your profile.</Notice>}
    </OutsideFrame>
  )
}
