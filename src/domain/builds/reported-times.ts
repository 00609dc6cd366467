import type { BuildTimeNote } from '../../contract/sets.ts'

/** The times of a report. */
interface Timed {
  started_at?: string
  finished_at?: string
  at?: string
  duration_seconds?: number
  steps?: { started_at?: string; finished_at?: string }[]
}

/** Clock differences up to this are not corrected or marked. */
const TOLERANCE_MS = 5 * 60_000

/** The known state of a build when a report arrives. */
interface Received {
  received_at: string
  started_at: string | null
}

/**
 * The report with plausible times: one that is ahead of its receipt is moved back as a whole, and nothing ends before it starts. Times before
 * their receipt stay as reported.
 */
export function correctTimes<R extends Timed>(
  reported: R,
  known: Received,
  ended: boolean,
): { told: R; note: BuildTimeNote | null } {
  const received = Date.parse(known.received_at)
  const ahead = newestOf(reported) - received
  const moved = ahead > TOLERANCE_MS ? shifted(reported, -ahead) : reported
  const end = ended ? (moved.finished_at ?? moved.at) : undefined
  const told = end === undefined ? moved : ordered(moved, end, known.started_at, received)
  if (told !== reported) return { told, note: 'corrected' }
  return { told, note: end !== undefined && received - Date.parse(end) > TOLERANCE_MS ? 'reported_late' : null }
}

const timesOf = ({ started_at, finished_at, at, steps = [] }: Timed) =>
  [started_at, finished_at, at, ...steps.flatMap((step) => [step.started_at, step.finished_at])].flatMap((time) =>
    time === undefined ? [] : [Date.parse(time)],
  )

const newestOf = (reported: Timed) => timesOf(reported).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)

function shifted<R extends Timed>(reported: R, by: number): R {
  const move = (time: string) => new Date(Date.parse(time) + by).toISOString()
  const times = <T extends { started_at?: string; finished_at?: string }>(of: T) => ({
    ...of,
    ...(of.started_at !== undefined && { started_at: move(of.started_at) }),
    ...(of.finished_at !== undefined && { finished_at: move(of.finished_at) }),
  })
  return {
    ...times(reported),
    ...(reported.at !== undefined && { at: move(reported.at) }),
    ...(reported.steps && { steps: reported.steps.map(times) }),
  }
}

/** Its durations stay: no wrong clock changes them. */
export const withoutTimes = <R extends Timed>({ started_at, finished_at, at, steps, ...rest }: R) =>
  ({ ...rest, ...(steps && { steps: steps.map(({ started_at, finished_at, ...step }) => step) }) }) as R

/** A start after the report's own end is moved before it; an end before a start from another clock becomes the time of receipt. */
function ordered<R extends Timed>(reported: R, end: string, knownStart: string | null, received: number): R {
  const ends = Date.parse(end)
  if (reported.started_at !== undefined) {
    if (Date.parse(reported.started_at) <= ends) return reported
    return { ...reported, started_at: new Date(ends - 1000 * (reported.duration_seconds ?? 0)).toISOString() }
  }
  const started = knownStart === null ? Number.NEGATIVE_INFINITY : Date.parse(knownStart)
  return started <= ends ? reported : { ...reported, finished_at: new Date(Math.max(started, received)).toISOString() }
}
