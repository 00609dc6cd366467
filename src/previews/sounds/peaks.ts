/** A power of two, several for each column that is drawn. */
const BINS = 8192

/** The loudest samples of a sound whose length isn't known yet: each bin covers twice as many samples whenever all are used. */
export class Peaks {
  #bins = new Float32Array(BINS)
  #samplesOfBin = 1
  #samples = 0

  get samples(): number {
    return this.#samples
  }

  /** Samples that follow, of all channels. */
  add(channels: readonly Float32Array[], samples: number) {
    while (this.#samples + samples > BINS * this.#samplesOfBin) this.#widenBins()
    for (const channel of channels)
      for (let i = 0; i < samples; ) {
        const bin = Math.floor((this.#samples + i) / this.#samplesOfBin)
        const until = Math.min(samples, (bin + 1) * this.#samplesOfBin - this.#samples)
        let loudest = this.#bins[bin]!
        for (; i < until; i++) {
          const level = Math.abs(channel[i]!)
          if (level > loudest) loudest = level
        }
        this.#bins[bin] = Math.min(1, loudest)
      }
    this.#samples += samples
  }

  /** The loudest from one sample to another. */
  loudest(from: number, until: number): number {
    const first = Math.floor(from / this.#samplesOfBin)
    const last = Math.max(first + 1, Math.ceil(until / this.#samplesOfBin))
    return this.#bins.subarray(first, last).reduce((loudest, level) => Math.max(loudest, level), 0)
  }

  #widenBins() {
    for (let i = 0; i < BINS; i++) this.#bins[i] = i < BINS / 2 ? Math.max(this.#bins[2 * i]!, this.#bins[2 * i + 1]!) : 0
    this.#samplesOfBin *= 2
  }
}

/** A sound, or one of several that are played one after the other. */
export interface MeasuredSound {
  peaks: Peaks
  /** How many of its samples are played. */
  samples: number
  /** Samples per second. */
  rate: number
}

/** The loudest sample of each of `width` columns, which cover the same time. */
export function columnsOf(sounds: readonly MeasuredSound[], width: number): Float64Array {
  const columns = new Float64Array(width)
  const seconds = sounds.reduce((sum, { samples, rate }) => sum + samples / rate, 0)
  const perColumn = seconds / width
  let start = 0
  for (const { peaks, samples, rate } of sounds) {
    const end = start + samples / rate
    const last = Math.min(width - 1, Math.floor(end / perColumn))
    for (let x = Math.floor(start / perColumn); x <= last; x++) {
      const from = Math.max(0, (x * perColumn - start) * rate)
      const until = Math.min(samples, ((x + 1) * perColumn - start) * rate)
      if (until > from) columns[x] = Math.max(columns[x]!, peaks.loudest(from, until))
    }
    start = end
  }
  return columns
}
