import { usage } from './failures.ts'
import { page } from './pager.ts'
import { type Paint, paintFor, type Style } from './paint.ts'
import { pick, readPath } from './pick.ts'
import { aligned, type Column, tabbed } from './table.ts'
import { asText } from './template.ts'
import { clean, cleanLines, columnsOf, pad, wrap } from './text.ts'
import { nameOf, paintField, shown } from './values.ts'

interface Wanted {
  /** `true` for everything, or the chosen fields, separated by commas. */
  json?: string | true | undefined
  /** For a list, the page around its rows: its name, and its pagination. */
  envelope?: true | undefined
  pick?: string | undefined
  /** The result of a jq query, and of a template for every row. */
  jq?: ((document: unknown) => string) | undefined
  template?: ((row: unknown) => string) | undefined
  /** Full ids, every column, nothing cut. */
  wide?: boolean | undefined
}

/** The fields to choose from: those of the rows of that name, or the document's own. */
export interface Shape {
  /** Unknown for commands that use the database. */
  fields?: readonly string[]
  /** The names a path may start with, if they are known. */
  first?: readonly string[]
  /** It is a list: programs get only this array unless they want the page around it. */
  rows?: string | undefined
}

const DEFAULT_WIDTH = 80
const NARROWEST = 20
const GAP = 2

/** The output of a command: documents for programs, tables for people. Remarks go to standard error. */
export class Output {
  readonly paint: Paint
  /** For a person: times are relative, lines fit the screen. */
  readonly forPeople: boolean
  readonly #wanted: Wanted
  readonly #shape: Shape
  readonly #env: NodeJS.ProcessEnv
  #held: { text: string; remark: boolean }[] | undefined

  constructor(wanted: Wanted, shape: Shape, env: NodeJS.ProcessEnv) {
    this.#wanted = wanted
    this.#shape = shape
    this.#env = env
    refuse(wanted, shape)
    this.forPeople = process.stdout.isTTY === true
    this.paint = paintFor(process.stdout, env)
  }

  get width(): number {
    return process.stdout.columns || DEFAULT_WIDTH
  }

  line(text = '') {
    this.write(`${text}\n`)
  }

  /** Raw text. */
  write(text: string) {
    if (this.#held) this.#held.push({ text, remark: false })
    else process.stdout.write(text)
  }

  /** Buffers output for a person until it is complete, so that a long one can be paged. */
  hold() {
    if (this.forPeople && process.stdin.isTTY) this.#held = []
  }

  /** Prints the buffer, and further output directly. */
  async release() {
    const held = this.#held ?? []
    this.#held = undefined
    const answer = held.flatMap(({ text, remark }) => (remark ? [] : [text])).join('')
    const paged = answer !== '' && (await page(answer, this.#env, process.stdout.rows ?? 0))
    for (const { text, remark } of held)
      if (remark) process.stderr.write(text)
      else if (!paged) process.stdout.write(text)
  }

  /** A line with external text in it. */
  say(text: string) {
    this.line(clean(text))
  }

  note(text: string) {
    const remark = `${cleanLines(text)}\n`
    // Remarks before the output are about waiting for it.
    if (this.#held?.length) this.#held.push({ text: remark, remark: true })
    else process.stderr.write(remark)
  }

  get wantsDocument(): boolean {
    const { json, envelope, pick, jq, template } = this.#wanted
    return [json, envelope, pick, jq, template].some((each) => each !== undefined)
  }

  /** Prints the document as requested, or lets `tell` print it for people. */
  answer(document: object, tell: () => void | Promise<void>) {
    return this.#print(document, this.#shape.rows, tell)
  }

  /** The same for a single row. */
  answerRow(row: object, tell: () => void) {
    this.#print(row, undefined, tell)
  }

  #print(document: object, rows: string | undefined, tell: () => void | Promise<void>) {
    if (!this.wantsDocument) return tell()
    const { json, envelope, pick: path, jq, template } = this.#wanted
    const names = chosen(json)
    const whole = names ? choose(document, names, rows) : document
    const wanted = rows === undefined || envelope ? whole : (whole as Record<string, unknown[]>)[rows]
    if (path !== undefined) for (const value of pick(wanted, path)) this.line(asText(value))
    else if (jq) this.found(jq(wanted))
    else if (template) for (const row of [wanted].flat()) this.line(template(row))
    else this.json(wanted)
  }

  /** The result of a query; nothing if empty. */
  found(text: string) {
    if (text !== '') this.line(text)
  }

  json(document: unknown) {
    this.line(this.forPeople ? JSON.stringify(document, null, 2) : JSON.stringify(document))
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[]) {
    const lines = this.forPeople
      ? aligned(rows, columns, this.#wanted.wide ? undefined : this.width, this.paint)
      : tabbed(rows, columns)
    for (const line of lines) this.line(line)
  }

  /** A table, or a remark that there are none. */
  list<Row>(noun: string, rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[], next: string) {
    if (rows.length > 0) this.table(rows, columns)
    else this.note(`No ${noun} yet. ${next}`)
  }

  title(text: string) {
    for (const line of this.#wrapped(shown('', text, true), 0)) this.line(this.paint('bold', line))
  }

  /** A line per field. */
  facts(facts: Record<string, unknown>) {
    const width = Math.max(...Object.keys(facts).map((name) => nameOf(name).length))
    for (const [name, value] of Object.entries(facts)) {
      const text = shown(name, value, this.forPeople)
      const [first, ...more] = this.#wrapped(text, width + GAP)
      const label = this.paint('dim', pad(nameOf(name), width))
      this.line(`${label}  ${paintField(this.paint, name, text, first) || '-'}`.trimEnd())
      for (const line of more) this.line(`${' '.repeat(width + GAP)}${line}`)
    }
  }

  /** Lines that fit next to an indent; in a pipe nothing is wrapped. */
  #wrapped(text: string, indent: number): string[] {
    return this.forPeople && !this.#wanted.wide ? wrap(text, Math.max(this.width - indent, NARROWEST)) : [text]
  }

  /** A text next to a label, with its further lines aligned. */
  item(label: string, text: string, style?: Style) {
    const indent = columnsOf(label)
    const lines = cleanLines(text)
      .trimEnd()
      .split('\n')
      .flatMap((line) => this.#wrapped(line, indent))
    for (const [index, line] of lines.entries())
      this.line(`${index === 0 ? this.paint('dim', label) : ' '.repeat(indent)}${style ? this.paint(style, line) : line}`)
  }

  /** One record: the requested document, or a line per field. */
  record(row: object) {
    this.answer(row, () => this.facts(row as Record<string, unknown>))
  }

  /** A heading and a table below it, or nothing without rows. */
  section<Row>(title: string, rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[]) {
    if (rows.length === 0) return
    this.line()
    this.title(title)
    this.table(rows, columns)
  }

  /** Several lines as written, or nothing. */
  prose(text: string | null | undefined) {
    if (!text?.trim()) return
    this.line()
    this.item('', text)
  }
}

const chosen = (json: string | true | undefined) => (typeof json === 'string' && json !== '' ? json.split(',') : undefined)

/** Before anything is done: a misspelled field must not be noticed afterwards. */
function refuse({ json, envelope, pick: path, jq, template }: Wanted, { fields, first, rows }: Shape) {
  if ([path, jq, template].filter((each) => each !== undefined).length + (json !== undefined && path !== undefined ? 1 : 0) > 1)
    throw usage('Use only one of --pick, --jq and --template; --json works with --jq and --template')
  const [step] = path === undefined ? [] : readPath(path)
  if (typeof step === 'object' && 'name' in step && !fields?.includes(step.name)) {
    if (rows !== undefined && !envelope && [...(first ?? []), rows].includes(step.name))
      throw usage(
        `--pick: the response is a list: use ${step.name === rows ? path!.replace(rows, '') || '[]' : '[]'}, or add --envelope`,
      )
    if (first && !first.includes(step.name)) throw usage(`--pick: unknown field ${step.name}; available: ${first.join(', ')}`)
  }
  const unknown = fields && chosen(json)?.find((name) => !fields.includes(name))
  if (unknown !== undefined) throw usage(`--json: unknown field ${unknown}; available: ${fields!.join(', ')}`)
}

function choose(document: object, names: string[], rows: string | undefined): unknown {
  const narrow = (row: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, row[name]]))
  if (Array.isArray(document)) return document.map(narrow)
  if (rows === undefined) return narrow(document as Record<string, unknown>)
  const list = (document as Record<string, Record<string, unknown>[]>)[rows]!
  return { ...document, [rows]: list.map(narrow) }
}
