import { isAskedLately } from '../db/attention.ts'

/** While people wait for responses, a slot stays empty for this many times as long as it was used, and for a second at most. */
const REST = 2
const REST_MAX_MS = 1_000

interface SlotsSettings {
  count: number
  /** A burst of builds leaves jobs that take several times as long as recording it: requests must not wait for them. */
  rests: boolean
  onFree: () => void
}

/** How many jobs of a pool may start now. */
export class Slots {
  free: number
  readonly #settings: SlotsSettings

  constructor(settings: SlotsSettings) {
    this.#settings = settings
    this.free = settings.count
  }

  take() {
    this.free--
  }

  /** `milliseconds`: how long it was used. */
  leave(milliseconds: number) {
    const end = () => {
      this.free++
      this.#settings.onFree()
    }
    if (this.#settings.rests && isAskedLately()) setTimeout(end, Math.min(REST * milliseconds, REST_MAX_MS)).unref()
    else end()
  }
}
