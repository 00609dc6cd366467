import { addCtrfTest } from './formats/ctrf.ts'
import { addUnrealDevice, addUnrealTest } from './formats/unreal.ts'
import { CASES_MAX, DEPTH_MAX, JSON_ITEM_MAX } from './limits.ts'
import { type TestReport, UnreadableReport } from './test-case.ts'

/** The lists whose items are read, by their path from the root. */
const LISTS: Record<string, { format?: string; add(report: TestReport, item: object, index: number): void } | undefined> = {
  tests: { format: 'Unreal Automation', add: addUnrealTest },
  devices: { add: (report, item, index) => addUnrealDevice(report, item, index === 0) },
  'results.tests': { format: 'CTRF', add: addCtrfTest },
}

interface Container {
  /** What ends it. */
  end: '}' | ']'
  path: string
  items: number
}

const ESCAPE = 0x5c
const QUOTE = 0x22

/** Reads JSON in pieces: each item of a list is parsed alone, so that no large text blocks others. */
export class JsonReport {
  readonly report: TestReport = { format: '', platform: '', mode: '', rhi: '', cases: [] }
  readonly #containers: Container[] = []
  #line = 1
  #ended = false
  #inString = false
  #escaped = false
  /** The last string outside of items: a key, if a colon follows. */
  #string = ''
  #key = ''
  /** The text of the current item so far, and how deep it started. */
  #item: { text: string; depth: number; line: number } | undefined

  write(text: string) {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x0a) this.#line++
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === ESCAPE) this.#escaped = true
        else if (code === QUOTE) {
          this.#inString = false
          if (!this.#item) this.#string += text.slice(from, at)
        }
      } else if (code === QUOTE) {
        this.#inString = true
        if (this.#item) continue
        this.#string = ''
        from = at + 1
      } else if (code === 0x3a) this.#key = this.#string
      else if (code === 0x7b || code === 0x5b) {
        if (this.#open(code === 0x7b ? '}' : ']')) from = at
      } else if (code === 0x7d || code === 0x5d) {
        const ended = this.#close(text[at]!)
        if (ended) this.#add(ended, text.slice(from, at + 1))
      } else if (this.#containers.length === 0 && code > 0x20) this.#refuse('text outside of the JSON object')
    }
    if (this.#item) {
      this.#item.text += text.slice(from)
      if (this.#item.text.length > JSON_ITEM_MAX) this.#refuse('a test with more than 4 MiB')
    } else if (this.#inString) this.#string = (this.#string + text.slice(from)).slice(0, 1000)
  }

  end(): TestReport {
    if (!this.#ended) this.#refuse('the file ends inside the JSON')
    if (this.report.format === '') this.#refuse('JSON without the tests of Unreal Automation or of CTRF')
    return this.report
  }

  /** True if an item starts here. */
  #open(end: Container['end']): boolean {
    const parent = this.#containers.at(-1)
    if (this.#ended) this.#refuse('text after the JSON object')
    if (this.#containers.length >= DEPTH_MAX) this.#refuse(`more than ${DEPTH_MAX} levels`)
    const name = parent?.end === '}' ? this.#key : ''
    const path = [parent?.path ?? '', name].filter((part) => part !== '').join('.')
    const depth = this.#containers.push({ end, path: parent && parent.end === ']' ? `${path}[]` : path, items: 0 })
    if (end === ']') {
      const format = LISTS[path]?.format
      if (!this.#item && format) this.report.format = format
    }
    if (this.#item || parent?.end !== ']' || !LISTS[parent.path]) return false
    this.#item = { text: '', depth, line: this.#line }
    return true
  }

  /** The item that ends here, if one does. */
  #close(end: string) {
    const depth = this.#containers.length
    const container = this.#containers.pop()
    if (container?.end !== end) this.#refuse(`an unexpected ${end}`)
    if (depth === 1) this.#ended = true
    if (this.#item?.depth !== depth) return undefined
    const item = this.#item
    this.#item = undefined
    return item
  }

  #add({ text, line }: { text: string; line: number }, rest: string) {
    const list = this.#containers.at(-1)!
    const item = parsed(text + rest, line)
    if (list.path === 'tests' && !Object.keys(item).some((key) => key.toLowerCase() === 'fulltestpath'))
      throw new UnreadableReport(`Line ${line}: a test without fullTestPath`)
    LISTS[list.path]!.add(this.report, item, list.items++)
    if (this.report.cases.length > CASES_MAX) this.#refuse(`more than ${CASES_MAX} cases`)
  }

  #refuse(why: string): never {
    throw new UnreadableReport(`Line ${this.#line}: ${why}`)
  }
}

function parsed(text: string, line: number): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new UnreadableReport(`Line ${line}: a test that is not JSON`)
  }
}
