import { type Json, text } from '../../reading.ts'

export interface Stream {
  /** Horde's id. */
  id: string
  /** Its path in Perforce, if known. */
  path?: string
}

const MOST = 50

/** The configured streams: `game-main=//Game/Main, game-rel`. */
export const streamsIn = (config: Readonly<Json>): Stream[] =>
  (text(config.horde_streams) ?? '')
    .split(/[,\s]+/)
    .filter((entry) => entry !== '' && !entry.startsWith('='))
    .slice(0, MOST)
    .map((entry) => {
      const [id = '', path] = entry.split('=', 2)
      return path?.startsWith('//') ? { id, path } : { id }
    })

/** The branch of a job. Horde's id of a stream is not its path: without a path, the changelist decides. */
export const branchAt = (streamId: unknown, config: Readonly<Json>): string | undefined =>
  streamsIn(config).find(({ id }) => id === streamId)?.path
