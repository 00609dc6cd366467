/** Reads little-endian numbers and texts from one offset on; anything beyond the bytes is a RangeError. */
export class ByteReader {
  #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  int32(): number {
    return this.#bytes.readInt32LE(this.#next(4))
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#next(4))
  }

  /** A number of entries that is not absurd. */
  count(max: number): number {
    const count = this.int32()
    if (count < 0 || count > max) throw new RangeError(`${count} entries`)
    return count
  }

  bytes(length: number): Buffer {
    const from = this.#next(length)
    return this.#bytes.subarray(from, from + length)
  }

  skip(length: number) {
    this.#next(length)
  }

  /** Unreal's text: its length with a final zero, in bytes, or negative in UTF-16 units. */
  text(max: number): string {
    const length = this.int32()
    if (Math.abs(length) > max) throw new RangeError(`a text of ${length}`)
    const raw = length < 0 ? this.bytes(-2 * length).toString('utf16le') : this.bytes(length).toString('latin1')
    return raw.replace(/\0$/, '').toWellFormed()
  }

  skipText(max: number) {
    this.text(max)
  }

  #next(length: number): number {
    const from = this.#at
    if (length < 0 || from + length > this.#bytes.length) throw new RangeError(`${length} bytes at ${from}`)
    this.#at = from + length
    return from
  }
}
