import { tooManyStreams } from '../../contract/errors.ts'

/** Counts the open event streams of each token on this node, so that one token can't use up all connections. */
export class TokenStreams {
  readonly #most: number
  readonly #open = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more until the returned function is called. Sessions have no token and are not counted. */
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
