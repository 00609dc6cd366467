import { createHash } from 'node:crypto'

/** The first line of a backup: enough to tell whether and how it can be restored. */
export interface Header {
  goldmaster_backup: 1
  version: string
  made_at: string
  /** The applied migrations: the schema of the rows. */
  migrations: { number: number; checksum: string | null }[]
  /** The key stored in DATA_DIR; one set by SECRET_KEY must be kept by the operator. */
  secret_key: string | null
  /** Sealed with that key, to detect another one. */
  canary: string | null
}

/** Before the rows of a table. */
interface TableLine {
  table: string
  columns: string[]
}
/** After them. */
interface RowsLine {
  rows: number
}
/** Before the bytes of a file, by its key in the file store. */
interface FileLine {
  file: string
}
/** The last line. */
export interface EndLine {
  /** The last number of each sequence; null if it was never used. */
  sequences: Record<string, string | null>
}

/**
 * The archive format: a line of JSON for the header; for each table a line, its rows as PostgreSQL's COPY writes them and a line with their
 * count; for each file a line and its bytes; and a last line. Rows and bytes are in blocks, each after a line with its length; an empty block ends them.
 */
export const lineOf = (value: Header | TableLine | RowsLine | FileLine | EndLine): Buffer =>
  Buffer.from(`${JSON.stringify(value)}\n`)

export async function* blocksOf(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const block of rows) {
    yield Buffer.from(`${block.length}\n`)
    yield block
  }
  yield Buffer.from('0\n')
}

export class DamagedBackup extends Error {
  constructor(why: string) {
    super(`This is no whole backup: ${why}.`)
  }
}

const LONGEST_LINE = 1 << 20
const NEWLINE = 10

/** Parses an archive, however its chunks are cut. */
export class ArchiveReader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Closes the source, whether read to its end or not. */
  async close() {
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next()
    if (done) return false
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }

  async #text(): Promise<string> {
    let end = this.#rest.indexOf(NEWLINE)
    while (end < 0) {
      if (this.#rest.length > LONGEST_LINE) throw new DamagedBackup('a line has no end')
      if (!(await this.#more())) throw new DamagedBackup('it is cut off')
      end = this.#rest.indexOf(NEWLINE)
    }
    const text = this.#rest.toString('utf8', 0, end)
    this.#rest = this.#rest.subarray(end + 1)
    return text
  }

  async line<T>(): Promise<T> {
    try {
      return JSON.parse(await this.#text()) as T
    } catch (error) {
      throw error instanceof SyntaxError ? new DamagedBackup('a line of it cannot be read') : error
    }
  }

  async header(): Promise<Header> {
    const header = await this.line<Partial<Header> | null>()
    if (header?.goldmaster_backup === undefined) throw new DamagedBackup('it does not begin as one')
    if (header.goldmaster_backup !== 1) throw new Error('This backup is of a newer kind: update goldmaster.')
    return header as Header
  }

  /** The rows after a table's line. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const text = await this.#text()
      if (!/^\d{1,9}$/.test(text)) throw new DamagedBackup('a block has no length')
      let left = Number(text)
      if (left === 0) return
      while (left > 0) {
        if (this.#rest.length === 0 && !(await this.#more())) throw new DamagedBackup('it is cut off')
        const piece = this.#rest.subarray(0, left)
        this.#rest = this.#rest.subarray(piece.length)
        left -= piece.length
        yield piece
      }
    }
  }

  /** The bytes after a file's line. */
  async #file(key: string): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.rows()) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    if (createHash('sha256').update(bytes).digest('hex') !== key.split('/')[1])
      throw new DamagedBackup(`the file ${key} is damaged`)
    return bytes
  }

  /** Table by table, then file by file, then the end. `take` gets the rows and returns how many there were. */
  async tables(
    take: (table: TableLine, rows: AsyncGenerator<Buffer>) => Promise<number | undefined>,
    takeFile: (key: string, bytes: Buffer) => Promise<void> = async () => {},
  ): Promise<EndLine> {
    for (;;) {
      const line = await this.line<TableLine | FileLine | EndLine>()
      if ('sequences' in line) return line
      if ('file' in line) {
        if (!/^\d{1,10}\/[0-9a-f]{64}$/.test(line.file)) throw new DamagedBackup('a file has no name')
        await takeFile(line.file, await this.#file(line.file))
        continue
      }
      const taken = await take(line, this.rows())
      const { rows } = await this.line<RowsLine>()
      if (taken !== undefined && taken !== rows) throw new DamagedBackup(`${line.table} has ${taken} rows instead of ${rows}`)
    }
  }
}

/** Reads a whole backup without storing anything: before a restore it should be known to be complete. */
export async function verifyArchive(source: AsyncIterable<Buffer>): Promise<Header> {
  const reader = new ArchiveReader(source)
  const header = await reader.header()
  await reader.tables(async (_, rows) => {
    let count = 0
    // Line breaks within a row are escaped.
    for await (const piece of rows) for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++
    return count
  })
  return header
}
