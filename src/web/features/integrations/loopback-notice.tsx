import { isLoopback } from '../../../contract/loopback.ts'
import { Notice } from '../../ui/notice.tsx'

/** Before somebody pastes an address into a tool that runs elsewhere. */
export const LoopbackNotice = ({ url }: { url: string }) =>
  isLoopback(url) && (
    <Notice kind="warn">
      Only tools on the machine of this service reach {new URL(url).origin}. For others its operator sets BASE_URL to the address
      that they use.
    </Notice>
  )
