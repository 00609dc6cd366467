import type { Places } from '../../provider.ts'

/** Builds are asked for by their id: the server says whose it is, see `server.ts`. */
export const places: Places = {
  noun: 'build configurations',
  example: 'Starfall/Win64, or Starfall/* for a project',
  of: ({ job }) => job,
}
