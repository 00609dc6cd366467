import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from './outside-frame.tsx'

/** A program sent somebody here with a question that cannot be asked. */
export const LoginEnds = ({ children }: { children: string }) => (
  <OutsideFrame title="Login failed">
    <Notice kind="err">{children}</Notice>
  </OutsideFrame>
)
