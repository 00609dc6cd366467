import { storeLabel } from '../../../contract/spellings/stores.ts'

interface Track {
  store: string | null
  track: string | null
}

/** `Steam beta`. */
export const nameOfTrack = ({ store, track }: Track): string => [storeLabel(store), track].filter(Boolean).join(' ')

/** `Steam beta 1.4`. */
export const titleOf = ({ version, ...track }: Track & { version: string }): string => `${nameOfTrack(track)} ${version}`.trim()
