import type { Places } from '../../provider.ts'
import { streamsIn } from './streams.ts'

/** Jobs are asked for by their id: the server says their stream, see `server.ts`. */
export const places: Places = {
  noun: 'streams',
  example: 'starfall-main',
  inSettings: (config) => streamsIn(config).map(({ id }) => id),
  of: () => undefined,
}
