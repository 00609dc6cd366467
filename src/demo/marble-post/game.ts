import type { Game, Release } from '../game.ts'
import { incidents } from './incidents.ts'
import { jobs } from './jobs.ts'
import { tasks } from './tasks.ts'
import { areas } from './work.ts'

const WEB = { branch: 'release', job: 'marble-release' } as const

const releases: readonly Release[] = [
  { ...WEB, platform: 'custom', status: 'live', age: 33.2, version: '0.12.0' },
  { ...WEB, platform: 'reddit_devvit', status: 'live', age: 27.4, version: '0.12.2' },
  { ...WEB, platform: 'youtube_playables', status: 'rejected', age: 18.3, version: '0.13.0' },
  { ...WEB, platform: 'reddit_devvit', status: 'live', age: 11.2, version: '0.13.1' },
  { ...WEB, platform: 'youtube_playables', status: 'in_review', age: 3.4, version: '0.13.2' },
  { ...WEB, platform: 'reddit_devvit', status: 'submitted', age: 0.05, version: '0.14.0' },
]

export const marblePost: Game = {
  key: 'marble-post',
  account: 'studio',
  name: 'Marble Post',
  engine: 'web',
  buildType: 'custom',
  sourceType: 'AssetCommit',
  main: 'main',
  ci: 'jenkins',
  integrations: ['lore', 'diversion', 'jenkins', 'deployment', 'monday'],
  team: ['maren', 'nadia', 'pia', 'bram', 'june'],
  approvers: ['pia', 'june'],
  changes: 98,
  built: 40,
  pending: 3,
  latest: [214, 160, 118, 77, 46, 1],
  firstNumber: 0,
  storeIds: { reddit_devvit: 'marble-post', youtube_playables: 'marble-post' },
  jobs,
  areas,
  incidents,
  preflights: [],
  flickers: [],
  badAgents: [],
  budgets: [],
  releases,
  tasks,
  references: [{ provider: 'monday', key: '6128840417', title: 'Playable review, second round', state: 'Working on it' }],
}
