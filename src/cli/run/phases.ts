import { PHASES, type PhaseRule } from '../../contract/log-parts.ts'

/** A part of a build in reports. */
interface Step {
  name: string
  status: 'running' | 'completed' | 'failed' | 'cancelled'
  started_at: string
  finished_at?: string
  detail?: string
}

/** Output that means failure, whatever the exit code: Unity may exit with 0. */
const FAILED = /^Build Finished, Result: Fail|^Error building Player|\bAutomationTool exiting with ExitCode=[1-9]/m

/** More than anybody reads. */
const STEPS_MAX = 50
const NAME_MAX = 100
/** Only the start of an endless line is read. */
const LINE_MAX = 4096

interface Parts {
  begins: RegExp
  ends?: RegExp
}

/** Reads a build's output and tracks its phases. */
export class Phases {
  readonly steps: Step[] = []
  phase: string | undefined
  failed = false
  readonly #parts: Parts | undefined
  readonly #telling: RegExp
  readonly #now: () => string
  readonly #changed: (phase: boolean) => void
  #part: Step | undefined
  #line = ''

  /** `changed` is called with whether a new phase started, or only progress was made. */
  constructor(parts: Parts | undefined, now: () => string, changed: (phase: boolean) => void) {
    this.#parts = parts
    this.#now = now
    this.#changed = changed
    const patterns = [
      FAILED,
      ...PHASES.map(({ when }) => when),
      ...(parts ? [parts.begins, ...(parts.ends ? [parts.ends] : [])] : []),
    ]
    this.#telling = new RegExp(patterns.map(({ source }) => source.replace(/(?<!\\)\((?!\?)/g, '(?:')).join('|'), 'gm')
  }

  /** Raw bytes; one byte is one character here, which is enough for the rules. */
  push(printed: Buffer) {
    const text = this.#line + printed.toString('latin1')
    const end = text.lastIndexOf('\n') + 1
    this.#line = text.slice(end, end + LINE_MAX)
    if (end > 0) this.#look(text.slice(0, end))
  }

  /** Running steps end with the build. */
  end(status: Exclude<Step['status'], 'running'>) {
    this.#look(this.#line)
    for (const step of this.steps) if (step.status === 'running') this.#finish(step, status)
  }

  #look(text: string) {
    const telling = this.#telling
    telling.lastIndex = 0
    for (let found = telling.exec(text); found; found = telling.exec(text)) {
      const next = text.indexOf('\n', found.index)
      const end = next === -1 ? text.length : next
      this.#read(text.slice(text.lastIndexOf('\n', found.index) + 1, Math.min(end, found.index + LINE_MAX)).replace(/\r$/, ''))
      telling.lastIndex = Math.max(end, found.index + 1)
    }
  }

  #read(line: string) {
    if (FAILED.test(line)) this.failed = true
    const part = this.#parts?.begins.exec(line)
    if (part) this.#beginPart(plain(part[1]!))
    else if (this.#parts?.ends?.test(line)) this.#endPart()
    for (const rule of PHASES) {
      const found = rule.when.exec(line)
      if (found) this.#follow(rule, found)
    }
  }

  #follow({ begins, ends, detail }: PhaseRule, found: RegExpExecArray) {
    const known = this.steps.find(({ name }) => name === (begins ?? ends))
    if (ends && known?.status === 'running') this.#finish(known, 'completed')
    if (!begins) return
    const step = known ?? this.#begin(begins)
    const says = detail?.(found)
    if (!step || says === undefined || step.detail === says) return
    step.detail = says
    this.#changed(false)
  }

  #begin(name: string): Step | undefined {
    if (this.steps.length === STEPS_MAX) return undefined
    const step: Step = { name, status: 'running', started_at: this.#now() }
    this.steps.push(step)
    this.phase = name
    this.#changed(true)
    return step
  }

  #finish(step: Step, status: Step['status']) {
    Object.assign(step, { status, finished_at: this.#now() })
    this.#changed(true)
  }

  #beginPart(name: string) {
    this.#endPart()
    if (name !== '' && !this.steps.some((step) => step.name === name)) this.#part = this.#begin(name)
  }

  #endPart() {
    if (this.#part?.status === 'running') this.#finish(this.#part, 'completed')
    this.#part = undefined
  }
}

/** A readable name: the bytes are UTF-8, colors are removed. */
const plain = (bytes: string) =>
  Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/\x1b\[[\d;]*[A-Za-z]/g, '')
    .trim()
    .slice(0, NAME_MAX)
    .toWellFormed()
