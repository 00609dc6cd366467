import { SaxesParser } from 'saxes'
import { readersByRoot } from './formats/by-root.ts'
import { ATTRIBUTES_MAX, CASES_MAX, DEPTH_MAX } from './limits.ts'
import { type TestReport, UnreadableReport } from './test-case.ts'
import { clip } from './text.ts'
import type { Element, XmlReader } from './xml-element.ts'

/** Reads XML in pieces. Entities other than the five of XML itself are errors: none is ever defined, read or fetched. */
export class XmlReport {
  readonly report: TestReport = { format: '', platform: '', mode: '', rhi: '', cases: [] }
  readonly #parser = new SaxesParser({ position: true })
  #reader: XmlReader | undefined
  #current: Element | undefined
  #depth = 0
  #attributes = 0

  constructor() {
    this.#parser.on('error', (error) => this.#refuse(error.message.replace(/^[\d:]+\s*/, '')))
    this.#parser.on('opentagstart', () => {
      this.#attributes = 0
      if (++this.#depth > DEPTH_MAX) this.#refuse(`more than ${DEPTH_MAX} elements inside each other`)
    })
    this.#parser.on('attribute', () => {
      if (++this.#attributes > ATTRIBUTES_MAX) this.#refuse(`an element with more than ${ATTRIBUTES_MAX} attributes`)
    })
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes as Record<string, string>))
    this.#parser.on('closetag', () => this.#close())
    const addText = (text: string) => {
      if (this.#current) this.#current.text = clip(this.#current.text + text)
    }
    this.#parser.on('text', addText)
    this.#parser.on('cdata', addText)
  }

  write(text: string) {
    this.#parser.write(text)
  }

  end(): TestReport {
    this.#parser.close()
    this.#reader?.end?.()
    return this.report
  }

  #open(prefixed: string, attributes: Record<string, string>) {
    const element = { name: prefixed.slice(prefixed.indexOf(':') + 1), attributes, text: '', parent: this.#current }
    if (!this.#reader) {
      const found = readersByRoot[element.name]
      if (!found) this.#refuse(`<${element.name.slice(0, 100)}> is not the root of a known test report`)
      this.report.format = found!.format
      this.#reader = found!.read(this.report)
    }
    this.#current = element
    this.#reader.open?.(element)
  }

  #close() {
    this.#depth--
    const element = this.#current!
    this.#reader!.close(element)
    this.#current = element.parent
    if (this.report.cases.length > CASES_MAX) this.#refuse(`more than ${CASES_MAX} cases`)
  }

  #refuse(why: string): never {
    throw new UnreadableReport(`Line ${this.#parser.line}: ${why}`)
  }
}
