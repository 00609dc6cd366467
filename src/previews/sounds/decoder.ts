import { NoPreview } from '../made.ts'
import type { OggPage } from './ogg-pages.ts'

/** Samples by channel, from -1 to 1. */
export type Take = (channels: readonly Float32Array[], samples: number) => void

/** Decodes one sound of an Ogg file page by page: its samples may need a hundred times the memory of the file. */
export interface Decoder {
  /** Samples per second. */
  rate: number
  /** Samples at the start that are decoded, but not played. */
  skipped: number
  decode(page: OggPage, take: Take): void | Promise<void>
  /** Gives the samples of the last page. */
  end(take: Take): void | Promise<void>
  free(): void
}

/** A page has at most 255 packets of 4,096 samples, which are in memory together. */
const CHANNELS_MAX = 16

export function checkChannels(channels: number) {
  if (channels === 0) throw new Error('A sound without channels.')
  if (channels > CHANNELS_MAX) throw new NoPreview('The sound has too many channels for a waveform. Upload a picture.')
}

/** For packages that are optional. */
export const missing = (name: string) => (): never => {
  throw new NoPreview(`This service can’t read the sound: the package ${name} is not installed.`)
}
