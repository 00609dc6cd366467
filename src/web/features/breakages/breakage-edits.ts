import type { BreakageEdit } from '../../../contract/bodies.ts'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { useReport } from '../../ui/toast.tsx'

const HOUR_MS = 3_600_000
/** How long a breakage can be muted; null until it stops failing. */
export const MUTES = [
  ['1 hour', HOUR_MS],
  ['1 day', 24 * HOUR_MS],
  ['1 week', 7 * 24 * HOUR_MS],
  ['Until it is fixed', null],
] as const

/** Edits a breakage and shows the result as a toast. */
export function useBreakageEdit({ id, project_id }: Pick<BreakageDetail, 'id' | 'project_id'>) {
  const edit = useWrite('editBreakage', ['showBreakage', 'listBreakages', 'listBreakageHistory'])
  const report = useReport()
  const { user } = useMe()
  const put = (body: BreakageEdit, done: string) => void report(edit.mutateAsync({ project_id, id, body }), done, 'Not saved: ')
  return {
    put,
    claim: () => put({ state: 'claimed', owner_user_id: user.id }, 'Breakage claimed'),
    mute: (span: number | null) =>
      put({ state: 'muted', muted_until: span === null ? null : new Date(Date.now() + span).toISOString() }, 'Muted'),
  }
}
