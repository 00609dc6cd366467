import type { Game, Release } from '../game.ts'
import { incidents } from './incidents.ts'
import { jobs } from './jobs.ts'
import { tasks } from './tasks.ts'
import { areas } from './work.ts'

const ANDROID = { platform: 'google_play', branch: 'release/1.9', job: 'orchard-release-android' } as const
const IOS = { platform: 'apple_app_store', branch: 'release/1.9', job: 'orchard-release-ios' } as const

const releases: readonly Release[] = [
  { ...ANDROID, status: 'live', age: 38.1, version: '1.8.0' },
  { ...IOS, status: 'live', age: 37.9, version: '1.8.0' },
  { ...ANDROID, status: 'live', age: 25.4, version: '1.8.1' },
  { ...IOS, status: 'rejected', age: 25.2, version: '1.8.1' },
  { ...IOS, status: 'live', age: 21.3, version: '1.8.2' },
  { ...ANDROID, status: 'live', age: 21.2, version: '1.8.2' },
  { platform: 'unity_cloud', branch: 'main', job: 'orchard-android', status: 'live', age: 9.6, version: '1.9.0-beta.1' },
  { ...ANDROID, status: 'approved', age: 2.3, version: '1.9.0' },
  { ...IOS, status: 'in_review', age: 1.1, version: '1.9.0' },
  { platform: 'unity_cloud', branch: 'main', job: 'orchard-android', status: 'uploading', age: 0.008, version: '1.9.0-beta.4' },
]

export const orchardParade: Game = {
  key: 'orchard-parade',
  account: 'studio',
  name: 'Orchard Parade',
  engine: 'unity',
  buildType: 'unity',
  sourceType: 'GitCommit',
  main: 'main',
  ci: 'buildkite',
  integrations: ['github', 'buildkite', 'game_engine', 'deployment', 'linear', 'trello'],
  team: ['maren', 'nadia', 'pia', 'teo', 'bram', 'june'],
  approvers: ['pia', 'pia', 'june'],
  changes: 155,
  built: 36,
  pending: 4,
  latest: [189, 143, 88, 52, 13, 3],
  firstNumber: 0,
  storeIds: {
    google_play: 'example.ninthteapot.orchardparade',
    apple_app_store: '6479120553',
    unity_cloud: 'orchard-parade-beta',
  },
  jobs,
  areas,
  incidents,
  preflights: [{ job: 'orchard-android', pull_request: '212', age: 77 }],
  flickers: [],
  badAgents: [],
  budgets: [],
  releases,
  tasks,
  references: [
    { provider: 'linear', key: 'OP-71', title: 'Give everybody their streak back', state: 'Done', who: 'nadia' },
    { provider: 'linear', key: 'OP-88', title: 'Visits while the owner is away', state: 'In Progress', who: 'nadia' },
    { provider: 'trello', key: 'w8KqT2Lm', title: 'Pumpkin coach, references', state: 'Doing' },
  ],
}
