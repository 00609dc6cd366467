import { tooManyStreams } from '../../contract/errors.ts'

/** How many event streams one token has open on this node: whoever has a token must not be able to hold all connections. */
export class TokenStreams {
  readonly #most: number
  readonly #open = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more until what it returns is called. Sessions, which have no token, are not counted. */
  open(tokenId: number | null): () => void {
    if (tokenId === null) return () => {}
    const open = this.#open.get(tokenId) ?? 0
    if (open >= this.#most) throw tooManyStreams(this.#most)
    this.#open.set(tokenId, open + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const left = this.#open.get(tokenId)! - 1
      if (left === 0) this.#open.delete(tokenId)
      else this.#open.set(tokenId, left)
    }
  }
}
