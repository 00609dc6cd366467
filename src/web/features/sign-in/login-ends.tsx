import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'

/** A program sent an invalid request. */
export const LoginEnds = ({ children }: { children: string }) => (
  <OutsideFrame title="Login failed">
    <Notice kind="err">{children}</Notice>
  </OutsideFrame>
)
