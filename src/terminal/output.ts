import { usage } from './failures.ts'
import { page } from './pager.ts'
import { type Paint, paintFor, type Style } from './paint.ts'
import { pick, readPath } from './pick.ts'
import { aligned, type Column, tabbed } from './table.ts'
import { asText } from './template.ts'
import { clean, cleanLines, columnsOf, pad, wrap } from './text.ts'
import { nameOf, paintField, shown } from './values.ts'

interface Wanted {
  /** `true` for everything, or the fields chosen, separated by commas. */
  json?: string | true | undefined
  /** Of a list, the page around its rows: its name, and how the list goes on. */
  envelope?: true | undefined
  pick?: string | undefined
  /** What a query of jq finds, and what a template makes of every row. */
  jq?: ((document: unknown) => string) | undefined
  template?: ((row: unknown) => string) | undefined
  /** Whole ids, every column, nothing cut. */
  wide?: boolean | undefined
}

/** Which fields may be chosen: those of the rows of that name, or the document's own. */
export interface Shape {
  /** Unknown for what runs beside the database. */
  fields?: readonly string[]
  /** The names a path may begin with, when they are known. */
  first?: readonly string[]
  /** It is a list: programs get the array of these alone unless they want the page around it. */
  rows?: string | undefined
}

const DEFAULT_WIDTH = 80
const NARROWEST = 20
const GAP = 2

/** What a command says: documents for programs, tables for people. Remarks go to standard error. */
export class Output {
  readonly paint: Paint
  /** A person looks at it: times are told from now, lines fit the screen. */
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

  /** Text as it is. */
  write(text: string) {
    if (this.#held) this.#held.push({ text, remark: false })
    else process.stdout.write(text)
  }

  /** Keeps what is said to a person until all of it is there, so that a long answer can be paged. */
  hold() {
    if (this.forPeople && process.stdin.isTTY) this.#held = []
  }

  /** Lets out what was kept, and what follows as it comes. */
  async release() {
    const held = this.#held ?? []
    this.#held = undefined
    const answer = held.flatMap(({ text, remark }) => (remark ? [] : [text])).join('')
    const paged = answer !== '' && (await page(answer, this.#env, process.stdout.rows ?? 0))
    for (const { text, remark } of held)
      if (remark) process.stderr.write(text)
      else if (!paged) process.stdout.write(text)
  }

  /** A line with words from outside in it. */
  say(text: string) {
    this.line(clean(text))
  }

  note(text: string) {
    const remark = `${cleanLines(text)}\n`
    // What is said before the answer is about waiting for it.
    if (this.#held?.length) this.#held.push({ text: remark, remark: true })
    else process.stderr.write(remark)
  }

  get wantsDocument(): boolean {
    const { json, envelope, pick, jq, template } = this.#wanted
    return [json, envelope, pick, jq, template].some((each) => each !== undefined)
  }

  /** Prints the document as asked for, or lets `tell` say it to people. */
  answer(document: object, tell: () => void | Promise<void>) {
    return this.#print(document, this.#shape.rows, tell)
  }

  /** The same for one row alone. */
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

  /** What a query found; nothing for nothing. */
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

  /** A table, or a remark that there are no such things. */
  list<Row>(noun: string, rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[]) {
    if (rows.length > 0) this.table(rows, columns)
    else this.note(`No ${noun} yet.`)
  }

  title(text: string) {
    for (const line of this.#wrapped(shown('', text, true), 0)) this.line(this.paint('bold', line))
  }

  /** A line for each field. */
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

  /** Lines that fit beside an indent; in a pipe nothing is broken. */
  #wrapped(text: string, indent: number): string[] {
    return this.forPeople && !this.#wanted.wide ? wrap(text, Math.max(this.width - indent, NARROWEST)) : [text]
  }

  /** A text beside a label, its further lines below its beginning. */
  item(label: string, text: string, style?: Style) {
    const indent = columnsOf(label)
    const lines = cleanLines(text)
      .trimEnd()
      .split('\n')
      .flatMap((line) => this.#wrapped(line, indent))
    for (const [index, line] of lines.entries())
      this.line(`${index === 0 ? this.paint('dim', label) : ' '.repeat(indent)}${style ? this.paint(style, line) : line}`)
  }

  /** One record: the document that was asked for, or a line for each field. */
  record(row: object) {
    this.answer(row, () => this.facts(row as Record<string, unknown>))
  }

  /** A heading and a table beneath, or nothing when there are no rows. */
  section<Row>(title: string, rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[]) {
    if (rows.length === 0) return
    this.line()
    this.title(title)
    this.table(rows, columns)
  }

  /** Several lines as somebody wrote them, or nothing. */
  prose(text: string | null | undefined) {
    if (!text?.trim()) return
    this.line()
    this.item('', text)
  }
}

const chosen = (json: string | true | undefined) => (typeof json === 'string' && json !== '' ? json.split(',') : undefined)

/** Before anything is done: a misspelt field must not be noticed after the deed. */
function refuse({ json, envelope, pick: path, jq, template }: Wanted, { fields, first, rows }: Shape) {
  if ([path, jq, template].filter((each) => each !== undefined).length + (json !== undefined && path !== undefined ? 1 : 0) > 1)
    throw usage('Give one of --pick, --jq and --template; --json goes with the latter two')
  const [step] = path === undefined ? [] : readPath(path)
  if (typeof step === 'object' && 'name' in step && !fields?.includes(step.name)) {
    if (rows !== undefined && !envelope && [...(first ?? []), rows].includes(step.name))
      throw usage(
        `--pick: the answer is a list: write ${step.name === rows ? path!.replace(rows, '') || '[]' : '[]'}, or add --envelope`,
      )
    if (first && !first.includes(step.name)) throw usage(`--pick: no ${step.name} here; there are: ${first.join(', ')}`)
  }
  const unknown = fields && chosen(json)?.find((name) => !fields.includes(name))
  if (unknown !== undefined) throw usage(`--json: there is no field ${unknown}; there are: ${fields!.join(', ')}`)
}

function choose(document: object, names: string[], rows: string | undefined): unknown {
  const narrow = (row: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, row[name]]))
  if (Array.isArray(document)) return document.map(narrow)
  if (rows === undefined) return narrow(document as Record<string, unknown>)
  const list = (document as Record<string, Record<string, unknown>[]>)[rows]!
  return { ...document, [rows]: list.map(narrow) }
}
