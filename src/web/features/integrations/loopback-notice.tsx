import { isLoopback } from '../../../contract/loopback.ts'
import { Notice } from '../../ui/notice.tsx'

/** Shown before somebody pastes a local URL into a tool that runs elsewhere. */
export const LoopbackNotice = ({ url }: { url: string }) =>
  isLoopback(url) && (
    <Notice kind="warn">
      Only tools on the same machine can reach {new URL(url).origin}. For other machines, the operator must set BASE_URL to a URL
      they can reach.
    </Notice>
  )
