import { APPROVED_TYPES } from '../../contract/sets.ts'
import type { Game, Release } from '../game.ts'
import { incidents } from './incidents.ts'
import { jobs } from './jobs.ts'
import { missingHeader } from './logs-compile.ts'
import { deviceRemoved, flickering } from './logs-other.ts'
import { MAIN, RELEASE } from './streams.ts'
import { tasks } from './tasks.ts'
import { tests } from './tests.ts'
import { areas } from './work.ts'

const NIGHTLY = { branch: RELEASE, job: 'cinder-nightly-shipping' } as const

const releases: readonly Release[] = [
  { ...NIGHTLY, platform: 'steam', track: 'default', status: 'live', age: 39.4, version: '0.9.0' },
  { ...NIGHTLY, platform: 'epic_games_store', status: 'live', age: 36.2, version: '0.9.0' },
  { ...NIGHTLY, platform: 'steam', track: 'default', status: 'rolled_back', age: 30.3, version: '0.9.1' },
  { ...NIGHTLY, platform: 'steam', track: 'default', status: 'live', age: 29.1, version: '0.9.1-hotfix1' },
  { ...NIGHTLY, platform: 'epic_games_store', status: 'rejected', age: 22.6, version: '0.9.1-hotfix1' },
  { ...NIGHTLY, platform: 'epic_games_store', status: 'live', age: 20.3, version: '0.9.1-hotfix2' },
  { ...NIGHTLY, platform: 'steam', track: 'default', status: 'live', age: 14.2, version: '0.9.2' },
  { ...NIGHTLY, platform: 'custom', status: 'live', age: 8.5, version: '0.9.3-playtest' },
  { ...NIGHTLY, platform: 'steam', track: 'beta', status: 'live', age: 6.4, version: '0.9.3' },
  { ...NIGHTLY, platform: 'steam', track: 'default', status: 'live', age: 5.1, version: '0.9.3' },
  { ...NIGHTLY, platform: 'epic_games_store', status: 'in_review', age: 0.7, version: '0.9.3' },
  { ...NIGHTLY, platform: 'steam', track: 'beta', status: 'pending', age: 0.012, version: '0.9.4-rc1' },
]

export const cinderCoast: Game = {
  key: 'cinder-coast',
  account: 'studio',
  name: 'Cinder Coast',
  engine: 'unreal',
  buildType: 'unreal',
  sourceType: 'Changelist',
  main: MAIN,
  ci: 'jenkins',
  integrations: ['perforce', 'jenkins', 'game_engine', 'deployment', 'jira', 'asana'],
  team: ['maren', 'idris', 'yuki', 'pia', 'teo', 'bram', 'june'],
  approvers: ['pia', 'pia', 'maren'],
  changes: 190,
  built: 52,
  pending: 5,
  approvalRules: [
    {
      asset_types: APPROVED_TYPES,
      gate: true,
      stages: [
        { name: 'review', project_role: 'approver', users: ['pia'] },
        { name: 'tech', project_role: 'lead' },
      ],
    },
  ],
  actors: { level: 'Content/Maps/NorthPier/L_NorthPier', count: 24 },
  latest: [171, 128, 96, 71, 24, 8],
  firstNumber: 48_117,
  storeIds: { steam: '3917420', epic_games_store: 'c41d7e90b2f84f16' },
  jobs,
  areas,
  incidents,
  preflights: [
    { job: 'cinder-editor-win64', shelf: '48996', age: 104, log: missingHeader },
    { job: 'cinder-editor-win64', shelf: '48997', age: 47 },
  ],
  flickers: [{ job: 'cinder-server-linux-debug', days: [9.3, 6.2, 2.4], log: flickering }],
  tests,
  badAgents: [
    {
      agent: 'BUILD-07',
      job: 'cinder-functional-tests',
      days: [26.3, 22.4, 20.3, 18.6, 15.2, 12.5, 9.7, 6.8, 3.6, 1.4],
      log: deviceRemoved,
    },
  ],
  budgets: [{ ...NIGHTLY, measure: 'package', max_value: 8e9 }],
  releases,
  tasks,
  references: [
    { provider: 'jira', key: 'CC-162', title: 'Drowning on join: oxygen starts at zero', state: 'Done', who: 'yuki' },
    { provider: 'jira', key: 'CC-214', title: 'Fog is over its budget on the low preset', state: 'In Progress', who: 'idris' },
    { provider: 'jira', key: 'CC-231', title: 'Two local clients in one test build', state: 'To Do', who: 'bram' },
    { provider: 'asana', key: '1204417730025511', title: 'Rating questionnaire', state: 'Waiting' },
  ],
}
