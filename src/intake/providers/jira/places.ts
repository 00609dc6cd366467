import type { Places } from '../../provider.ts'
import { projectsOf } from './history.ts'

const spelled = (key: string) => key.trim().toUpperCase()

export const places: Places = {
  noun: 'projects',
  example: 'GAME',
  inSettings: (config) => projectsOf(config).map(spelled),
  of: ({ issue }) => /^([A-Z][A-Z0-9_]*)-\d+$/i.exec(issue ?? '')?.[1]?.toUpperCase(),
  spelled,
}
