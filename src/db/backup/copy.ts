import { Readable, Writable } from 'node:stream'
import type pg from 'pg'

/** The parts of `pg` for a statement that handles protocol messages itself. */
interface Connection {
  stream: NodeJS.ReadWriteStream & { writableNeedDrain: boolean }
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

const BLOCK = 1 << 16
/** `COPY 42` → 42. */
const rowsOf = ({ text }: { text: string }) => Number(text.split(' ').at(-1))

/** The rows of `copy … to stdout` as a stream of blocks; the database waits while nobody reads. */
export class CopyOut extends Readable {
  rows = 0
  readonly #text: string
  #connection: Connection | undefined
  #block = Buffer.allocUnsafe(BLOCK)
  #filled = 0

  constructor(client: pg.Client, text: string) {
    super({ highWaterMark: 4 * BLOCK })
    this.#text = text
    client.query(this as unknown as pg.Submittable)
  }

  submit(connection: Connection) {
    this.#connection = connection
    connection.query(this.#text)
  }

  /** A row, in memory that the parser reuses: it is copied, many into one block. */
  handleCopyData({ chunk }: { chunk: Buffer }) {
    for (let done = 0; done < chunk.length; ) {
      const copied = chunk.copy(this.#block, this.#filled, done)
      done += copied
      this.#filled += copied
      if (this.#filled === BLOCK) this.#flush()
    }
  }

  #flush() {
    const more = this.push(this.#block.subarray(0, this.#filled))
    this.#block = Buffer.allocUnsafe(BLOCK)
    this.#filled = 0
    if (!more) this.#connection!.stream.pause()
  }

  override _read() {
    this.#connection?.stream.resume()
  }

  handleCommandComplete(message: { text: string }) {
    this.rows = rowsOf(message)
  }

  handleReadyForQuery() {
    if (this.#filled > 0) this.#flush()
    this.push(null)
    this.#connection!.stream.resume()
  }

  handleError(error: Error) {
    this.destroy(error)
  }
}

/** Writes the rows of `copy … from stdin`; finished when the database has all of them. */
export class CopyIn extends Writable {
  rows = 0
  readonly #text: string
  #connection: Connection | undefined
  #opened: () => void = () => {}
  #finished: () => void = () => {}

  constructor(client: pg.Client, text: string) {
    super()
    this.#text = text
    client.query(this as unknown as pg.Submittable)
  }

  submit(connection: Connection) {
    this.#connection = connection
    connection.query(this.#text)
  }

  /** Nothing is written before the database is ready. */
  override _construct(done: () => void) {
    this.#opened = done
  }

  handleCopyInResponse() {
    this.#opened()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    const { stream } = this.#connection!
    this.#connection!.sendCopyFromChunk(chunk)
    if (stream.writableNeedDrain) stream.once('drain', done)
    else done()
  }

  override _final(done: () => void) {
    this.#finished = done
    this.#connection!.endCopyFrom()
  }

  handleCommandComplete(message: { text: string }) {
    this.rows = rowsOf(message)
  }

  handleReadyForQuery() {
    this.#finished()
  }

  handleError(error: Error) {
    this.destroy(error)
  }
}
