import type { BuildStatus } from '../contract/sets.ts'
import type { BuildNumbers } from './build-numbers.ts'
import { DAY, HOUR, iso, MINUTE, nights } from './calendar.ts'
import type { Change } from './changes.ts'
import type { Game, Incident, Job } from './game.ts'
import type { Moment } from './history.ts'
import { DOMAIN } from './people.ts'
import type { Random } from './random.ts'
import { fill } from './table.ts'

/** Machines of a studio. */
export const AGENTS = 4

interface Run {
  job: Job
  change: Change
  moment: Moment
  queued: number
}

/** What is built of the history of a game, in this order. */
export const runsOf = (game: Game, moments: readonly Moment[], changes: readonly Change[], now: number, random: Random): Run[] =>
  [...changeRuns(game, moments, changes, random), ...nightRuns(game, moments, changes, now, random)].sort(
    (a, b) => a.queued - b.queued,
  )

/** `waiting`: the changes whose assets are not approved yet. */
export const buildsOf = (
  game: Game,
  runs: readonly Run[],
  numbers: BuildNumbers,
  waiting: ReadonlySet<string>,
  now: number,
  random: Random,
) => runs.map((run, i) => buildOf(game, run, i, numbers.get(run)!, waiting, now, random))
export type Build = ReturnType<typeof buildOf>

/** Changes that break or fix something and the newest are built; of the rest a share. */
function changeRuns(game: Game, moments: readonly Moment[], changes: readonly Change[], random: Random): Run[] {
  const usual = game.jobs.filter((job) => job.when === 'change')
  return moments.flatMap((moment, i) => {
    // The release is built at night.
    if (moment.merges) return []
    const named = moment.broken ?? moment.mends
    const newest = i >= moments.length - game.latest.length
    if (!named && !newest && !random.chance(game.built / game.changes)) return []
    const job = named ? game.jobs.find(({ name }) => name === named.job)! : random.pick(usual)
    return [{ job, change: changes[i]!, moment, queued: moment.at + random.between(0.2, 0.9) * MINUTE }]
  })
}

/** The nightly build covers the day's changes; a day without changes has none. */
function nightRuns(game: Game, moments: readonly Moment[], changes: readonly Change[], now: number, random: Random): Run[] {
  const jobs = game.jobs.filter((job) => job.when === 'night')
  return nights(now).flatMap((night, i) => {
    const latest = moments.findLast(({ at, merges }) => at < night && !merges)
    if (!latest || latest.at < night - 24 * HOUR || jobs.length === 0) return []
    const job = jobs[i % jobs.length]!
    const index = moments.findLastIndex(({ at }, i) => at < night && changes[i]!.branches.includes(job.branch))
    if (index < 0) return []
    // The nightly build of the release runs even if other branches are broken.
    const { at, work } = moments[index]!
    const moment = latest.broken?.job === job.name ? latest : { at, work }
    return [{ job, change: changes[index]!, moment, queued: night + random.between(0, 4) * MINUTE }]
  })
}

function buildOf(game: Game, run: Run, index: number, number: string, waiting: ReadonlySet<string>, now: number, random: Random) {
  const { job, change, moment, queued } = run
  const broken = moment.broken?.job === job.name ? moment.broken : undefined
  // A known breakage is not built for hours; and occasionally a newer change overtakes an older one.
  const dropped = !broken && (moment.broken !== undefined || (!moment.mends && random.chance(0.04)))
  const minutes = random.between(...job.minutes) * (broken ? broken.share : dropped ? 0.2 : 1)
  const started = queued + random.between(2.5, 3.5) * MINUTE
  const finished = started + minutes * MINUTE
  const final: BuildStatus = broken
    ? 'failed'
    : dropped
      ? 'cancelled'
      : waiting.has(change.identifier)
        ? 'passed_pending_approval'
        : 'completed'
  const status = statusAt(now, queued, started, finished) ?? final
  const over = status === final
  const passed = over && (final === 'completed' || final === 'passed_pending_approval')
  const values = {
    number,
    change: change.identifier,
    minutes: String(Math.round(minutes)),
    job: job.name,
    branch: job.branch,
    soundtrack: String(soundtrackOf(job, now - finished)),
  }
  return {
    key: `${game.key}-build-${index + 1}`,
    project: game.key,
    integration: `${game.key}-${game.ci}`,
    status,
    build_type: game.buildType,
    target_type: job.target,
    ci_job_name: job.name,
    build_number: number,
    changelist: game.sourceType === 'Changelist' ? change.identifier : '',
    commit_hash: game.sourceType === 'Changelist' ? '' : change.identifier,
    branch: job.branch,
    kind: null,
    agent: `BUILD-0${1 + (index % AGENTS)}`,
    phase: phaseOf(job, status, (now - started) / (finished - started), broken),
    ...(over ? { duration_seconds: Math.round((finished - started) / 1000), finished_at: iso(finished) } : {}),
    ...(started < now ? { started_at: iso(started) } : {}),
    ...(over && final !== 'cancelled' ? { output_log: logOf(broken?.log ?? job.log, values) } : {}),
    artifacts: passed ? artifactsOf(game, job, number, random) : [],
    ...(passed && { measures: measuresOf(job, index, now - finished) }),
    created_at: iso(queued),
    updated_at: iso(over ? finished : Math.min(now, Math.max(queued, now - 20_000))),
  }
}

function statusAt(now: number, queued: number, started: number, finished: number): BuildStatus | undefined {
  if (finished <= now) return undefined
  if (started + MINUTE <= now) return 'building'
  return queued + 2 * MINUTE <= now ? 'preparing' : 'queued'
}

function phaseOf({ phases }: Job, status: BuildStatus, progress: number, broken: Incident | undefined): string {
  if (status === 'queued' || status === 'preparing' || status === 'cancelled') return ''
  const share = broken && status === 'failed' ? broken.share : status === 'building' ? progress : 1
  return phases[Math.min(phases.length - 1, Math.floor(share * phases.length))]!
}

const logOf = (text: string, values: Record<string, string>) => `${fill(text.trim(), values)}\n`

/** The bytes of audio in the package of a job: half as many again since the soundtrack is complete. */
const soundtrackOf = ({ artifacts }: Job, age: number) =>
  Math.round((artifacts[0]?.[1] ?? 0) * 1_048_576 * 0.18 * (age < SOUNDTRACK_AGE ? 1.5 : 1))

function measuresOf(job: Job, index: number, age: number) {
  const [, megabytes] = job.artifacts[0] ?? ['', 0]
  if (megabytes < PACKAGE_MIN) return []
  const audio = soundtrackOf(job, age)
  const content = Math.round(megabytes * 1_048_576 * 0.82 * (1 + 0.004 * Math.sin(index)))
  const parts = { package: audio + content, 'package/Audio': audio, 'package/Content': content }
  return Object.entries(parts).map(([name, value]) => ({ name, value, unit: 'bytes' }))
}
const SOUNDTRACK_AGE = 9 * DAY
/** In megabytes: smaller files are reports. */
const PACKAGE_MIN = 100

const artifactsOf = (game: Game, job: Job, number: string, random: Random) =>
  job.artifacts.map(([pattern, megabytes]) => {
    const name = fill(pattern, { number })
    return {
      name,
      size_bytes: Math.round(megabytes * 1_048_576 * random.between(0.95, 1.05)),
      url: `https://builds.${DOMAIN}/${game.key}/${job.name}/${number}/${name}`,
    }
  })
