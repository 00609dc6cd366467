import { CASES_MAX } from './limits.ts'
import { isFailing, type TestReport, UnreadableReport } from './test-case.ts'
import { caseOf, secondsOf } from './text.ts'

const RESULT = /^(\s*)(not )?ok\b(?:\s+\d+)?\s*(?:-\s*)?(.*)$/
const DIRECTIVE = /(?:^|\s)#\s*(skip|todo)\S*\s*(.*)$/i
const PLAN = /^1\.\.(\d+)/

interface Result {
  indent: number
  name: string
  failed: boolean
  outcome: 'passed' | 'failed' | 'skipped'
  message: string
  /** The YAML or comments that follow it. */
  notes: string[]
}

/** The Test Anything Protocol. A result that follows deeper ones sums them up and is not counted, unless it alone failed. */
export class TapReport {
  readonly report: TestReport = { format: 'TAP', platform: '', mode: '', rhi: '', cases: [] }
  #rest = ''
  #line = 0
  #last: Result | undefined
  #plan: number | undefined
  #topLevel = 0
  #bailedOut: string | undefined
  /** Names of the subtests that are open, by indentation. */
  readonly #subtests: { indent: number; name: string; cases: number; failed: boolean }[] = []

  write(text: string) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#read(line.trimEnd())
  }

  end(): TestReport {
    if (this.#rest !== '') this.#read(this.#rest.trimEnd())
    this.#flush()
    const { cases } = this.report
    if (cases.length === 0 && this.#plan === undefined && this.#bailedOut === undefined)
      throw new UnreadableReport(`Line ${this.#line}: TAP without a plan and without results`)
    const missing = this.#plan !== undefined && this.#topLevel < this.#plan
    const incomplete = missing ? `The plan has ${this.#plan} results, the file ${this.#topLevel}.` : undefined
    const message = this.#bailedOut ?? incomplete
    if (message !== undefined && !cases.some(isFailing))
      cases.push(caseOf({ name: '(test run)', outcome: 'error', crashed: true, duration_ms: null, message }))
    return this.report
  }

  #read(line: string) {
    this.#line++
    const subtest = /^(\s*)# Subtest: (.*)$/.exec(line)
    if (subtest) {
      this.#flush()
      this.#subtests.push({ indent: subtest[1]!.length, name: subtest[2]!, cases: 0, failed: false })
      return
    }
    if (line.startsWith('Bail out!')) this.#bailedOut = line.slice(9).trim() || 'Bail out!'
    const plan = PLAN.exec(line)
    if (plan) this.#plan = Number(plan[1])
    const result = RESULT.exec(line)
    if (result) this.#result(result[1]!.length, result[2] !== undefined, result[3]!)
    else if (this.#last && this.#last.notes.length < 200 && !plan) this.#last.notes.push(line)
  }

  #result(indent: number, not: boolean, text: string) {
    this.#flush()
    if (indent === 0) this.#topLevel++
    const directive = DIRECTIVE.exec(text)
    const name = directive ? text.slice(0, directive.index).trim() : text.trim()
    const skipped = directive?.[1]?.toLowerCase() === 'skip'
    const failed = not && !directive
    const outcome = skipped || (not && directive) ? 'skipped' : not ? 'failed' : 'passed'
    const subtest = this.#subtests.at(-1)
    if (subtest && subtest.indent >= indent && subtest.name === name) {
      this.#subtests.pop()
      if (subtest.cases > 0 && (!failed || subtest.failed)) return this.#count(failed)
    }
    this.#last = { indent, name, failed, outcome, message: directive?.[2] ?? '', notes: [] }
    this.#count(failed)
  }

  #count(failed: boolean) {
    const subtest = this.#subtests.at(-1)
    if (!subtest) return
    subtest.cases++
    subtest.failed ||= failed
  }

  #flush() {
    if (!this.#last) return
    const { name, outcome, message, notes } = this.#last
    this.#last = undefined
    const text = notes.map((note) => note.replace(/^\s*#?\s?/, '')).join('\n')
    const duration = /^\s*duration_ms:\s*([\d.]+)/m.exec(text)?.[1]
    this.report.cases.push(
      caseOf({
        suite: this.#subtests.map((subtest) => subtest.name).join(' › '),
        name,
        outcome,
        duration_ms: duration === undefined ? null : Math.round((secondsOf(duration) ?? 0) / 1000),
        message: message || /^\s*(?:message|error):\s*['"]?(.+?)['"]?$/m.exec(text)?.[1],
        details: outcome === 'failed' ? text : '',
      }),
    )
    if (this.report.cases.length > CASES_MAX) throw new UnreadableReport(`Line ${this.#line}: more than ${CASES_MAX} cases`)
  }
}
