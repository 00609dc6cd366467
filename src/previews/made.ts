/** Two webp pictures and a placeholder. */
export interface Pictures {
  small: Buffer
  large: Buffer
  /** A tiny picture as a data URL. */
  placeholder: string
  /** Of the file. */
  width: number
  height: number
}

/** What became of a file. `reason` says to people why there is no preview. */
export type Made =
  | ({ kind: 'picture' | 'waveform'; source: 'package' | 'file' } & Pictures)
  | { kind: 'text'; source: 'package' | 'file'; text: Buffer }
  | { reason: string }

/** A file, or its first bytes. */
export interface GivenFile {
  /** Decides only what the content does not tell. */
  path: string
  /** Whether the file goes on after the given bytes. */
  isCut: boolean
}

/** A file that has no preview, for a reason that people understand. */
export class NoPreview extends Error {}
