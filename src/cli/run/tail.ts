/** Twice what the service keeps of a log, whatever the bytes per character: after a long outage it continues with the end. */
const CAPACITY = 2 * 1024 * 1024

/** The last output of a build, by its offset from the start; the oldest is dropped first. */
export class Tail {
  readonly #ring = Buffer.allocUnsafe(CAPACITY)
  #end = 0

  /** Bytes printed so far. */
  get end(): number {
    return this.#end
  }

  /** The first byte that is still kept. */
  get start(): number {
    return Math.max(0, this.#end - CAPACITY)
  }

  push(printed: Buffer) {
    const kept = printed.subarray(-CAPACITY)
    const at = (this.#end + printed.length - kept.length) % CAPACITY
    const fits = kept.copy(this.#ring, at)
    kept.copy(this.#ring, 0, fits)
    this.#end += printed.length
  }

  read(from: number, to: number): Buffer {
    const length = to - from
    const at = from % CAPACITY
    const first = this.#ring.subarray(at, Math.min(at + length, CAPACITY))
    return Buffer.concat([first, this.#ring.subarray(0, length - first.length)], length)
  }
}
