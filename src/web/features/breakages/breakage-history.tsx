import type { ReactNode } from 'react'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { labelOf, lowered, TERMS } from '../../../contract/labels.ts'
import type { BreakageHistoryKind } from '../../../contract/sets.ts'
import { useNames } from '../../session.ts'
import { Section } from '../../ui/page.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { Time } from '../../ui/text/time.tsx'
import { TaskLink } from '../tasks/task-link.tsx'

type Entry = BreakageDetail['history'][number]
type Words = (entry: Entry, by: string, nameOf: (id: number) => string) => string

const WORDS: Record<Exclude<BreakageHistoryKind, 'task'>, Words> = {
  opened: ({ detail }) => `${detail || 'A job'} broke`,
  joined: ({ detail }) => `${detail || 'Another job'} failed for the same cause`,
  claimed: ({ detail }, by, nameOf) =>
    detail.startsWith('user:') ? `${by} assigned it to ${nameOf(Number(detail.slice(5)))}` : `${by} claimed it`,
  released: (_, by) => `${by} released it`,
  assigned: ({ detail }, by, nameOf) => {
    const [user = '', because = ''] = detail.split(/ because (.*)/s)
    return `${by} assigned it to ${nameOf(Number(user.slice(5)))} because ${because}`
  },
  unassigned: () => 'Assignment removed: its reason no longer holds',
  muted: ({ detail }, by) => `${by} muted it until ${detail ? dateOf('moment', detail) : 'it is fixed'}`,
  unmuted: ({ user_id }, by) => (user_id === null ? 'The mute expired' : `${by} unmuted it`),
  resolved: (_, by) => `${by} marked it as fixed`,
  fixed: () => 'Every affected job passed again',
  reopened: ({ user_id }, by) => (user_id === null ? 'It failed again' : `${by} reopened it`),
  withdrawn: ({ detail }) => `Withdrawn: ${isReason(detail) ? lowered(labelOf('withdrawn_reason', detail)) : detail}`,
  note: (_, by) => `${by} added a note`,
  bisection_started: (_, by) => `${by} started a bisection`,
  bisection_ended: ({ detail, user_id }, by) => (user_id === null ? `Bisection: ${detail}` : `${by} canceled the bisection`),
}

/** Why it was withdrawn, or the number of the breakage that it duplicates. */
const isReason = (detail: string) => detail in TERMS.withdrawn_reason

/** Its history, newest first, with notes written through the API. In the app people write comments. */
export function BreakageHistory({ breakage }: { breakage: BreakageDetail }) {
  const nameOf = useNames()
  const wordsOf = (entry: Entry): ReactNode => {
    const by = entry.user_id === null ? 'Goldmaster' : nameOf(entry.user_id)
    if (entry.kind !== 'task') return WORDS[entry.kind](entry, by, nameOf)
    return (
      <>
        {by} created <TaskLink projectId={breakage.project_id} id={Number(entry.detail.slice(1))} />
      </>
    )
  }
  return (
    <Section title="History">
      <ol aria-label="History" className="grid grid-cols-1 gap-2 text-sm">
        {breakage.history.toReversed().map((entry) => (
          <li key={`${entry.at} ${entry.kind} ${entry.detail}`} className="grid grid-cols-1 gap-0.5 border-l-2 border-line pl-3">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="wrap-anywhere min-w-0">{wordsOf(entry)}</span>
              <span className="text-xs text-soft">
                <Time at={entry.at} />
              </span>
            </span>
            {entry.kind === 'note' && (
              <p className="wrap-anywhere whitespace-pre-wrap rounded-md bg-hover px-2 py-1">{entry.detail}</p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
