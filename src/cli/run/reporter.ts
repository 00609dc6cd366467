import { randomUUID } from 'node:crypto'
import { backOff } from '../../contract/back-off.ts'
import { LOG_MAX } from '../../contract/limits.ts'
import type { BuildFacts } from './ci.ts'
import { insist } from './insist.ts'
import type { Phases } from './phases.ts'
import type { Mask } from './secrets.ts'
import type { BuildService, Outcome } from './service.ts'
import type { Spool } from './spool.ts'
import type { Tail } from './tail.ts'

const REQUEST_S = 10
/** How often progress of a step is reported; a new step is reported at once. */
const DETAILS_MS = 10_000
/** How often a silent build sends a heartbeat, so that it does not count as lost. */
const HEARTBEAT_MS = 60_000
const PIECE_MAX = 1024 * 1024
const PIECE_LEAST = 64 * 1024
const LONGEST_WAIT_MS = 60_000
/** The maximum delay at the end of a build: with a responding service, with an unreachable one, and when interrupted. */
const TIMEOUT_MS = { there: 10_000, away: 3_000, interrupted: 2_000 }

/** The pause between two pieces of the log: short at first, then longer, since nobody watches a build of hours every second. */
const pace = (elapsed: number) => Math.min(10_000, Math.max(2_000, elapsed / 60))

export interface End {
  status: 'SUCCESS' | 'FAILURE' | 'ABORTED'
  artifacts: { name: string; size_bytes: number }[]
  interrupted: boolean
}

interface ReporterContext {
  service: BuildService
  spool: Spool
  facts: BuildFacts
  build_type: string | undefined
  tail: Tail
  phases: Phases
  mask: Mask
  /** Milliseconds since the build started, by a monotonic clock. */
  elapsed(): number
  /** The time of day after this many milliseconds. */
  at(elapsed: number): string
  say(text: string): void
}

/** Reports a build to the service in the background: nothing here ever delays the build or fails it. */
export class Reporter {
  readonly #told: ReporterContext
  readonly #stream = randomUUID()
  /** The state of the service: it has the start, it refused for good, it did not respond. */
  #known = false
  #refused: string | undefined
  #away = true
  #over = false
  #waits = 0
  #streams = true
  #sent = 0
  #heard = 0
  #pieceMax = PIECE_MAX
  /** When to send steps and log next, in milliseconds since the build started. */
  #stepsDue: number | undefined
  #logDue = 0
  #wake = () => {}

  constructor(told: ReporterContext) {
    this.#told = told
  }

  start() {
    this.#go().catch((error: Error) => this.#told.say(`No longer reporting this build: ${error.message}`))
  }

  /** The phases have changed. */
  stepsChanged(phase: boolean) {
    const due = phase ? 0 : this.#told.elapsed() + DETAILS_MS
    this.#stepsDue = Math.min(this.#stepsDue ?? due, due)
    if (phase) this.#wake()
  }

  /** Reports the end with everything known. What is not sent in time is saved on disk. */
  async finish(end: End) {
    this.#over = true
    this.#wake()
    const { spool, service, elapsed, facts, say } = this.#told
    const about = { finished_at: this.#told.at(elapsed()), artifacts: end.artifacts }
    const report = { ...this.#report(end.status, about), logs_tail: this.#logEnd() }
    const timeout = end.interrupted ? TIMEOUT_MS.interrupted : this.#away ? TIMEOUT_MS.away : TIMEOUT_MS.there
    const outcome: Outcome =
      this.#refused === undefined ? await insist(service, report, timeout) : { kind: 'never', why: this.#refused }
    if (outcome.kind === 'taken') return
    const name = `the result of ${facts.job} #${facts.number}`
    if (outcome.kind === 'never') return say(`The service rejected ${name}. ${outcome.why}`)
    try {
      spool.add(report)
      say(
        `Couldn't report ${name}: ${outcome.why} Saved in ${spool.folder}; the next run sends it, or run: goldmaster run --flush`,
      )
    } catch (error) {
      say(`Couldn't report ${name}: ${outcome.why} Couldn't save it either: ${(error as Error).message}`)
    }
  }

  async #go() {
    while (!this.#over && this.#refused === undefined) {
      const wait = this.#due() - this.#told.elapsed()
      if (wait > 0) await this.#pause(wait)
      if (!this.#over && this.#due() <= this.#told.elapsed()) await this.#pauseAfter(await this.#tellNext())
    }
  }

  /** When there is something to send. */
  #due(): number {
    if (!this.#known) return 0
    const log = this.#streams
      ? Math.max(this.#logDue, this.#told.tail.end > this.#sent || this.#isQuiet() ? 0 : this.#told.elapsed() + 1_000)
      : Number.POSITIVE_INFINITY
    return Math.min(this.#stepsDue ?? Number.POSITIVE_INFINITY, log)
  }

  async #tellNext(): Promise<Outcome> {
    if (!this.#known || (this.#stepsDue ?? Number.POSITIVE_INFINITY) <= this.#told.elapsed()) return this.#tellSteps()
    return this.#tellLog()
  }

  async #tellSteps(): Promise<Outcome> {
    const before = this.#stepsDue
    this.#stepsDue = undefined
    const outcome = await this.#told.service.report(this.#report('STARTED'), REQUEST_S)
    if (outcome.kind !== 'taken') this.#stepsDue = Math.min(before ?? 0, this.#stepsDue ?? 0)
    else if (!this.#known) {
      this.#known = true
      // Reports of an earlier build; retried with the next one.
      this.#told.spool.flush(this.#told.service).catch(() => {})
    }
    return outcome
  }

  async #tellLog(): Promise<Outcome> {
    const { tail, facts, service, elapsed } = this.#told
    this.#logDue = elapsed() + pace(elapsed())
    // What is dropped here is no longer kept by the service either: the rest is sent as one piece, after the gap.
    const skipped = this.#sent < tail.start
    const from = skipped ? tail.start : this.#sent
    const to = Math.min(this.#settled(), skipped ? tail.end : from + this.#pieceMax)
    if (to <= from && !this.#isQuiet()) return { kind: 'taken' }
    this.#heard = elapsed()
    const query = { job_name: facts.job, build_number: facts.number, offset: String(from), stream: this.#stream }
    const outcome = await service.log(query, this.#hidden(from, Math.max(from, to)), REQUEST_S)
    if (outcome.kind === 'never' && outcome.log_only) {
      this.#streams = false
      return { kind: 'taken' }
    }
    if (outcome.kind === 'later' && outcome.unknown_build) this.#known = false
    if (outcome.kind === 'later' && outcome.too_large) this.#pieceMax = Math.max(PIECE_LEAST, this.#pieceMax / 4)
    if (outcome.kind !== 'never' && outcome.offset !== undefined) this.#sent = outcome.offset
    // More is waiting: a burst ignores the pause.
    if (outcome.kind === 'taken' && to - from === this.#pieceMax) this.#logDue = elapsed()
    return outcome
  }

  #isQuiet(): boolean {
    return this.#told.elapsed() - this.#heard >= HEARTBEAT_MS
  }

  /** Up to where no further output can complete a secret: no secret spans a line. */
  #settled(): number {
    const { tail, mask } = this.#told
    const open = Math.max(tail.start, tail.end - mask.longest)
    return open + tail.read(open, tail.end).lastIndexOf('\n') + 1
  }

  /** Including the bytes around it, so that a secret across either end is recognized. */
  #hidden(from: number, to: number): Buffer {
    const { tail, mask } = this.#told
    const around = Math.max(tail.start, from - mask.longest)
    return mask.hide(tail.read(around, Math.min(tail.end, to + mask.longest))).subarray(from - around, to - around)
  }

  #logEnd(): string {
    const { tail } = this.#told
    return this.#hidden(tail.start, tail.end).toString('utf8').slice(-LOG_MAX).toWellFormed()
  }

  async #pauseAfter(outcome: Outcome) {
    if (outcome.kind === 'never') this.#refused = outcome.why
    this.#away = outcome.kind === 'later' && outcome.seconds === undefined
    if (outcome.kind !== 'later') {
      this.#waits = 0
      return
    }
    const wait = backOff(++this.#waits, { first: 750, longest: 45_000, jitter: 1 / 3 })
    const pause = outcome.seconds === undefined ? wait : outcome.seconds * 1000
    if (!this.#over) await new Promise<void>((done) => void setTimeout(done, pause).unref())
  }

  #pause(ms: number) {
    return new Promise<void>((done) => {
      const timer = setTimeout(done, Math.min(ms, LONGEST_WAIT_MS))
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        done()
      }
    })
  }

  #report(status: string, more: object = {}): object {
    const { facts, build_type, phases, at, elapsed } = this.#told
    const { job, number, url, ...where } = facts
    return {
      job_name: job,
      build_number: number,
      status,
      build_url: url,
      ...where,
      build_type,
      started_at: at(0),
      timestamp: at(elapsed()),
      phase: phases.phase,
      steps: phases.steps,
      ...more,
    }
  }
}
