import type { Breakage } from '../../../contract/health-shapes.ts'
import { Pill, Status } from '../../ui/pill.tsx'

/** The state of a breakage, and whether it is flaky. */
export const BreakageState = ({ state, flaky }: Pick<Breakage, 'state' | 'flaky'>) => (
  <span className="inline-flex shrink-0 gap-1.5">
    <Status of="breakage_state" value={state} />
    {flaky && state !== 'withdrawn' && <Pill kind="warn">Flaky</Pill>}
  </span>
)
