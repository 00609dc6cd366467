import { AGENTS } from './builds.ts'
import { DAY, iso, MINUTE } from './calendar.ts'
import type { Change } from './changes.ts'
import type { BadAgent, Flicker, Game, Preflight } from './game.ts'
import { fill } from './table.ts'

/** What a kind of extra build adds, once it has its number. */
interface More {
  status: 'completed' | 'failed'
  output_log: string
  [field: string]: unknown
}

/** Waits for its number. */
const planned = (game: Game, key: string, name: string, started: number, minutes: number, more: (number: string) => More) => {
  const job = jobOf(game, name)
  const queued = started - 2 * MINUTE
  const build = (number: string) => ({
    key: `${game.key}-${key}`,
    project: game.key,
    integration: `${game.key}-${game.ci}`,
    build_type: game.buildType,
    target_type: job.target,
    ci_job_name: name,
    build_number: number,
    branch: job.branch,
    duration_seconds: minutes * 60,
    started_at: iso(started),
    finished_at: iso(started + minutes * MINUTE),
    artifacts: [],
    changelist: '',
    commit_hash: '',
    kind: null as string | null,
    created_at: iso(queued),
    updated_at: iso(started + minutes * MINUTE),
    ...more(number),
  })
  return { job, queued, build }
}

/** Builds besides those of the history. */
export const extrasOf = (game: Game, changes: readonly Change[], now: number) => [
  ...preflightsOf(game, now),
  ...flickersOf(game, changes, now),
  ...badAgentBuildsOf(game, changes, now),
]

const jobOf = (game: Game, job: string) => game.jobs.find(({ name }) => name === job)!

const changeOf = ({ sourceType }: Game, { identifier }: Change) =>
  sourceType === 'Changelist' ? { changelist: identifier } : { commit_hash: identifier }

const logOf = (game: Game, text: string, values: Record<string, string>) =>
  `${fill(text.trim(), { ...values, branch: jobOf(game, values.job!).branch })}\n`

/** Shelves and pull requests that were built before they were submitted. */
const preflightsOf = (game: Game, now: number) =>
  game.preflights.map(({ job, age, log, ...from }: Preflight, i) =>
    planned(game, `preflight-${i + 1}`, job, now - age * MINUTE, 6, (number) => ({
      ...from,
      kind: 'preflight',
      target_branch: jobOf(game, job).branch,
      status: log === undefined ? 'completed' : 'failed',
      output_log: logOf(game, log ?? jobOf(game, job).log, { number, change: from.shelf ?? '', job, minutes: '6' }),
    })),
  )

const OUTCOMES = ['failed', 'completed'] as const

/** A test that fails and passes at the same change, again and again. */
const flickersOf = (game: Game, changes: readonly Change[], now: number) =>
  game.flickers.flatMap(({ job, days, log }: Flicker, f) =>
    days.flatMap((age, i) => {
      const at = now - age * DAY
      const change = changes.findLast(
        ({ timestamp, branches }) => Date.parse(timestamp) < at && branches.includes(jobOf(game, job).branch),
      )!
      return OUTCOMES.map((status, turn) =>
        planned(game, `flicker-${f + 1}-${i + 1}-${turn + 1}`, job, at + turn * 40 * MINUTE, 9, (number) => ({
          ...changeOf(game, change),
          status,
          output_log: logOf(game, status === 'failed' ? log : jobOf(game, job).log, {
            number,
            change: change.identifier,
            job,
            minutes: '9',
          }),
        })),
      )
    }),
  )

/** Builds on a machine that is broken, each followed by a build of the next change on another one. */
const badAgentBuildsOf = (game: Game, changes: readonly Change[], now: number) =>
  game.badAgents.flatMap(({ agent, job, days, log }: BadAgent, a) => {
    const own = changes.filter(({ branches }) => branches.includes(jobOf(game, job).branch))
    return days.flatMap((age, i) => {
      const at = own.findLastIndex(({ timestamp }) => Date.parse(timestamp) < now - age * DAY)
      return OUTCOMES.map((status, turn) => {
        const change = own[at + turn]!
        const started = Date.parse(change.timestamp) + 4 * MINUTE
        return planned(game, `bad-agent-${a + 1}-${i + 1}-${turn + 1}`, job, started, 22, (number) => ({
          ...changeOf(game, change),
          status,
          agent: turn === 0 ? agent : `BUILD-0${1 + (i % AGENTS)}`,
          output_log: logOf(game, status === 'failed' ? log : jobOf(game, job).log, {
            number,
            change: change.identifier,
            job,
            minutes: '22',
          }),
        }))
      })
    })
  })
