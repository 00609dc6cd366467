import type { Places } from '../../provider.ts'

export const places: Places = {
  noun: 'pipelines',
  example: 'starfall-win64',
  of: ({ job }) => job,
}
