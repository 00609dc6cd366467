import { AGENTS } from './builds.ts'
import { DAY, iso, MINUTE } from './calendar.ts'
import type { Change } from './changes.ts'
import type { BadAgent, Flicker, Game, Preflight } from './game.ts'
import { fill } from './table.ts'

const base = (game: Game, key: string, job: string, number: string, started: number, minutes: number) => ({
  key: `${game.key}-${key}`,
  project: game.key,
  integration: `${game.key}-${game.ci}`,
  build_type: game.buildType,
  target_type: jobOf(game, job).target,
  ci_job_name: job,
  build_number: number,
  branch: jobOf(game, job).branch,
  duration_seconds: minutes * 60,
  started_at: iso(started),
  finished_at: iso(started + minutes * MINUTE),
  artifacts: [],
  changelist: '',
  commit_hash: '',
  kind: null as string | null,
  created_at: iso(started - 2 * MINUTE),
  updated_at: iso(started + minutes * MINUTE),
})

const jobOf = (game: Game, job: string) => game.jobs.find(({ name }) => name === job)!

const changeOf = ({ sourceType }: Game, { identifier }: Change) =>
  sourceType === 'Changelist' ? { changelist: identifier } : { commit_hash: identifier }

const logOf = (game: Game, text: string, values: Record<string, string>) =>
  `${fill(text.trim(), { ...values, branch: jobOf(game, values.job!).branch })}\n`

/** Shelves and pull requests that were built before they were submitted. */
export const preflightsOf = (game: Game, now: number) =>
  game.preflights.map(({ job, age, log, ...from }: Preflight, i) => {
    const number = String(9_000 + i)
    return {
      ...base(game, `preflight-${i + 1}`, job, number, now - age * MINUTE, 6),
      ...from,
      kind: 'preflight',
      target_branch: jobOf(game, job).branch,
      status: log === undefined ? 'completed' : 'failed',
      output_log: logOf(game, log ?? jobOf(game, job).log, {
        number,
        change: from.shelf ?? '',
        job,
        minutes: '6',
      }),
    }
  })

/** A test that fails and passes at the same change, again and again. */
export function flickersOf(game: Game, changes: readonly Change[], now: number) {
  return game.flickers.flatMap(({ job, days, log }: Flicker, f) =>
    days.flatMap((age, i) => {
      const at = now - age * DAY
      const change = changes.findLast(({ timestamp, branches }) => Date.parse(timestamp) < at && branches.includes('main'))!
      return ['failed', 'completed'].map((status, turn) => {
        const number = String(8_000 + 100 * f + 2 * i + turn)
        const values = { number, change: change.identifier, job, minutes: '9' }
        return {
          ...base(game, `flicker-${f + 1}-${i + 1}-${turn + 1}`, job, number, at + turn * 40 * MINUTE, 9),
          ...changeOf(game, change),
          status,
          output_log: logOf(game, status === 'failed' ? log : jobOf(game, job).log, values),
        }
      })
    }),
  )
}

/** Builds on a machine that is broken, each followed by a build of the next change on another one. */
export const badAgentBuildsOf = (game: Game, changes: readonly Change[], now: number) =>
  game.badAgents.flatMap(({ agent, job, days, log }: BadAgent, a) => {
    const own = changes.filter(({ branches }) => branches.includes(jobOf(game, job).branch))
    return days.flatMap((age, i) => {
      const at = own.findLastIndex(({ timestamp }) => Date.parse(timestamp) < now - age * DAY)
      return ['failed', 'completed'].map((status, turn) => {
        const change = own[at + turn]!
        const number = String(7_000 + 100 * a + 2 * i + turn)
        const values = { number, change: change.identifier, job, minutes: '22' }
        return {
          ...base(game, `bad-agent-${a + 1}-${i + 1}-${turn + 1}`, job, number, Date.parse(change.timestamp) + 4 * MINUTE, 22),
          ...changeOf(game, change),
          status,
          agent: turn === 0 ? agent : `BUILD-0${1 + (i % AGENTS)}`,
          output_log: logOf(game, status === 'failed' ? log : jobOf(game, job).log, values),
        }
      })
    })
  })
