import type { Places } from '../../provider.ts'
import { teamsOf } from './history.ts'

const spelled = (key: string) => key.trim().toUpperCase()

export const places: Places = {
  noun: 'teams',
  example: 'GAM',
  inSettings: (config) => teamsOf(config).map(spelled),
  of: ({ issue }) => /^([A-Z][A-Z0-9]*)-\d+$/i.exec(issue ?? '')?.[1]?.toUpperCase(),
  spelled,
}
