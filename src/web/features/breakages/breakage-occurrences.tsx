import type { Breakage, BreakageDetail } from '../../../contract/health-shapes.ts'
import { useNames } from '../../session.ts'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { ChangeLink } from '../branches/branch-row.tsx'

interface Fix extends Pick<Breakage, 'fixed_by_change' | 'fixed_after_change' | 'fixed_up_to_change'> {
  projectId: string
}

/** The change that fixed it, otherwise the two changes around the fix. */
export function FixedBy({ projectId, fixed_by_change, fixed_after_change, fixed_up_to_change }: Fix) {
  if (fixed_by_change) return <ChangeLink projectId={projectId} change={fixed_by_change} />
  if (!fixed_after_change || !fixed_up_to_change) return null
  return (
    <>
      between <ChangeLink projectId={projectId} change={fixed_after_change} /> and{' '}
      <ChangeLink projectId={projectId} change={fixed_up_to_change} />
    </>
  )
}

interface Props {
  projectId: string
  breakage: BreakageDetail
}

/** Each time it opened, with its own range, owner and fix. The page itself shows the newest; a single one needs no list. */
export function BreakageOccurrences({ projectId, breakage: { occurrences } }: Props) {
  const nameOf = useNames()
  if (occurrences.length < 2) return null
  return (
    <Section title="Occurrences">
      <ol aria-label="Occurrences" className="grid grid-cols-1 gap-3 text-sm">
        {occurrences.map((one) => (
          <li key={one.number} className="grid grid-cols-1 gap-0.5 border-l-2 border-line pl-3">
            <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <span className="font-medium">#{one.number}</span>
              <span>
                Broke <Time at={one.opened_at} both />
              </span>
              {one.fixed_at ? (
                <span>
                  Fixed <Time at={one.fixed_at} both />
                </span>
              ) : (
                <Pill kind="err">open</Pill>
              )}
              {one.flickering && <Pill kind="warn">Flaky</Pill>}
            </span>
            <span className="flex flex-wrap gap-x-3 text-soft">
              {one.last_good_change && one.first_bad_change && (
                <span>
                  Range <ChangeLink projectId={projectId} change={one.last_good_change} /> to{' '}
                  <ChangeLink projectId={projectId} change={one.first_bad_change} />
                </span>
              )}
              {one.fixed_at && (one.fixed_by_change || one.fixed_up_to_change) && (
                <span>
                  Fixed {one.fixed_by_change && 'by '}
                  <FixedBy projectId={projectId} {...one} />
                </span>
              )}
              {one.owner_user_id !== null && <span>Owner {nameOf(one.owner_user_id)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
