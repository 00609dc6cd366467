import { isUtf8 } from 'node:buffer'

/** One entry of one of the file's lists. */
export interface Element {
  list: string
  index: number
  value: Record<string, unknown>
  /** The length of its text. */
  bytes: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Deeper than any field, and shallow enough for recursion later. */
const MAX_DEPTH = 100

/** What was read last, outside of names and elements. */
type State = 'nothing' | 'opening' | 'name' | 'colon' | 'opened list' | 'element' | 'comma in list' | 'list' | 'comma' | 'all'

/**
 * Reads `{"list": [{…}, …], …}` from bytes as they arrive and keeps only the current element, so that a file may be larger than memory.
 * Only the outer levels are parsed here; each element's text goes to `JSON.parse`.
 */
export class Scanner {
  readonly #known: readonly string[]
  readonly #given = new Set<string>()
  #state: State = 'nothing'
  #inside: 'name' | 'element' | undefined
  #list = ''
  #index = 0
  #depth = 0
  #inString = false
  #escaped = false
  /** Earlier chunks of the current name or element. */
  #parts: Buffer[] = []
  #offset = 0

  constructor(known: readonly string[]) {
    this.#known = known
  }

  push(chunk: Buffer): Element[] {
    const found: Element[] = []
    let from = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#inside === undefined) {
        const byte = chunk[at]!
        if (!isSpace(byte)) this.#step(byte, this.#offset + at)
        from = at++
        continue
      }
      const end = this.#endOf(chunk, at)
      if (end === -1) break
      const token = this.#take(chunk.subarray(from, end))
      if (this.#inside === 'name') this.#name(token)
      else found.push(this.#element(token))
      this.#inside = undefined
      at = end
    }
    if (this.#inside) this.#parts.push(Buffer.from(chunk.subarray(from)))
    this.#offset += chunk.length
    return found
  }

  end() {
    if (this.#state !== 'all') throw new Error(`The file ends too early, ${this.#place()}`)
  }

  /** The index after the token that started before `at`, or -1 if the chunk does not contain its end. */
  #endOf(chunk: Buffer, at: number): number {
    let [depth, inString, escaped] = [this.#depth, this.#inString, this.#escaped]
    for (let i = at; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (inString) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) {
          inString = false
          if (depth === 0) return i + 1
        }
      } else if (byte === QUOTE) inString = true
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (++depth > MAX_DEPTH) throw new Error(`${this.#list}[${this.#index}]: nested deeper than ${MAX_DEPTH}`)
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (--depth === 0) return i + 1
      }
    }
    this.#depth = depth
    this.#inString = inString
    this.#escaped = escaped
    return -1
  }

  #take(rest: Buffer): Buffer {
    if (this.#parts.length === 0) return rest
    const whole = Buffer.concat([...this.#parts, rest])
    this.#parts = []
    return whole
  }

  #step(byte: number, offset: number) {
    const next = this.#next(byte, offset)
    if (next === undefined)
      throw new Error(`Unexpected ${JSON.stringify(String.fromCharCode(byte))} ${this.#place()} (byte ${offset})`)
    this.#state = next
    this.#escaped = false
    this.#inString = this.#inside === 'name'
    this.#depth = this.#inside === 'element' ? 1 : 0
  }

  #next(byte: number, offset: number): State | undefined {
    switch (this.#state) {
      case 'nothing':
        return byte === OPEN ? 'opening' : byte === BYTE_ORDER_MARK[offset] ? 'nothing' : undefined
      case 'opening':
      case 'comma':
        if (byte === CLOSE && this.#state === 'opening') return 'all'
        if (byte !== QUOTE) return undefined
        this.#inside = 'name'
        return 'name'
      case 'name':
        return byte === COLON ? 'colon' : undefined
      case 'colon':
        if (byte !== OPEN_LIST) throw new Error(`${this.#list}: must be a list`)
        return 'opened list'
      case 'opened list':
      case 'comma in list':
        if (byte === CLOSE_LIST && this.#state === 'opened list') return 'list'
        if (byte === COMMA || byte === CLOSE || byte === CLOSE_LIST) return undefined
        if (byte !== OPEN) throw new Error(`${this.#list}[${this.#index}]: must be an object`)
        this.#inside = 'element'
        return 'element'
      case 'element':
        return byte === COMMA ? 'comma in list' : byte === CLOSE_LIST ? 'list' : undefined
      case 'list':
        return byte === COMMA ? 'comma' : byte === CLOSE ? 'all' : undefined
      case 'all':
        return undefined
    }
  }

  #name(token: Buffer) {
    const name = parse(token, 'The name of a list') as string
    if (!this.#known.includes(name)) throw new Error(`unknown list ${JSON.stringify(name)}; known: ${this.#known.join(', ')}`)
    if (this.#given.has(name)) throw new Error(`${name}: given twice`)
    this.#given.add(name)
    this.#list = name
    this.#index = 0
  }

  #element(token: Buffer): Element {
    const [list, index] = [this.#list, this.#index++]
    return { list, index, value: parse(token, `${list}[${index}]`) as Element['value'], bytes: token.length }
  }

  #place(): string {
    if (this.#list === '') return 'at the beginning: a world file is a JSON object of lists'
    return this.#index === 0 ? `in ${this.#list}` : `after ${this.#list}[${this.#index - 1}]`
  }
}

function parse(token: Buffer, what: string): unknown {
  if (!isUtf8(token)) throw new Error(`${what}: not UTF-8`)
  try {
    return JSON.parse(token.toString('utf8'))
  } catch (error) {
    throw new Error(`${what}: not JSON (${(error as Error).message.replaceAll('\n', ' ')})`)
  }
}
