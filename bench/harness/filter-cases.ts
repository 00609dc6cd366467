import type { Routes } from '../../src/contract/routes.ts'
import type { SearchName } from '../../src/contract/searches.ts'
import type { Texts } from '../../src/domain/search/list-search.ts'
import type { ListName } from '../../src/http/routes/lists.ts'
import { COMMON_COMMIT, OTHER_COMMIT, RARE_COMMIT, TIMES } from './rows.ts'

/**
 * Values for one filter: most rows of the project, twenty of its oldest, none of its rows although other rows have it. `bulk` is a tenth of
 * the rows, again the oldest: statistics promise many where reading finds nothing for long.
 */
export interface Values {
  common: string
  rare: string
  none?: string
  bulk?: string
}

type Filters<N extends ListName> = Exclude<keyof Routes[N]['query'], 'limit' | 'cursor' | 'format'>
type Of<Names extends PropertyKey> = Record<Names, Values | Values[]>

/** A filter without values here does not compile. For a search only the parameters that its list does not have; `search` measures words. */
type Cases = { [N in Exclude<ListName, SearchName>]: Of<Filters<N>> } & {
  searchTasks: Of<Exclude<Filters<'searchTasks'>, Filters<'listTasks'> | keyof Texts>>
  searchBuilds: Of<Exclude<Filters<'searchBuilds'>, Filters<'listBuilds'> | keyof Texts>>
  searchAssets: Of<Exclude<Filters<'searchAssets'>, Filters<'listAssets'> | keyof Texts>>
  searchChanges: Of<Exclude<Filters<'searchChanges'>, Filters<'listChanges'> | keyof Texts>>
  searchDeployments: Of<Exclude<Filters<'searchDeployments'>, Filters<'listDeployments'>>>
}

const edited: Values = { common: '2020-01-01', rare: TIMES.rare, none: TIMES.never, bulk: TIMES.bulk }

export const cases: Cases = {
  listTasks: {
    state: [
      { common: 'completed', rare: 'blocked', none: 'in_progress' },
      { common: 'to_do,completed', rare: 'in_progress,blocked' },
    ],
    task_type: { common: 'bug', rare: 'content', none: 'balance' },
    priority: { common: 'high', rare: 'critical', none: 'low' },
    assignee: [
      { common: 'handle:agent', rare: 'handle:night-agent', none: 'handle:build-bot' },
      { common: 'user:1', rare: 'user:2', none: 'user:3' },
    ],
    label: { common: 'gameplay', rare: 'cert-blocker', none: 'tools' },
    updated_since: edited,
  },
  listBuilds: {
    status: { common: 'completed', rare: 'passed_pending_approval', none: 'cancelled' },
    build_type: { common: 'unreal', rare: 'unity', none: 'custom' },
    target_type: { common: 'development', rare: 'test', none: 'debug' },
  },
  listAssets: {
    pending_approval: { common: 'false', rare: 'true' },
    asset_type: { common: 'texture', rare: 'shader', none: 'font' },
  },
  listApprovals: {
    status: [
      { common: 'approved', rare: 'pending', none: 'ignored' },
      { common: 'approved,denied', rare: 'pending,ignored' },
    ],
    stage: { common: 'art_review', rare: 'certification', none: 'audio_review' },
    commit_sha: { common: COMMON_COMMIT, rare: RARE_COMMIT, none: OTHER_COMMIT },
    updated_since: edited,
  },
  listChanges: {
    identifier: { common: '1001', rare: '1', none: 'nowhere' },
    source_type: { common: 'GitCommit', rare: 'Changelist', none: 'AssetCommit' },
    orphaned: { common: 'false', rare: 'true' },
    updated_since: edited,
  },
  listDeployments: {
    status: { common: 'live', rare: 'in_review', none: 'rolled_back' },
    platform: { common: 'steam', rare: 'custom', none: 'google_play' },
    build_run_id: { common: '1', rare: '2', none: '3' },
    updated_since: edited,
  },
  listBreakages: {
    state: { common: 'fixed', rare: 'open', none: 'claimed' },
    branch: { common: 'main', rare: 'hotfix', none: 'attic' },
    category: { common: 'compile_error', rare: 'link_error', none: 'timeout' },
    owner: { common: '1', rare: '2', none: '3' },
    since: { common: '2020-01-01', rare: TIMES.rare, none: TIMES.never },
  },
  searchDeployments: { current: { common: 'false', rare: 'true' } },
  searchTasks: {},
  searchBuilds: {
    branch: { common: 'main', rare: 'origin/hotfix', none: 'attic', bulk: 'legacy' },
    job: { common: 'nightly-win64', rare: 'weekly-ps5', none: 'attic' },
    platform: { common: 'Win64', rare: 'PS5', none: 'Switch' },
    configuration: { common: 'Shipping', rare: 'Test', none: 'DebugGame' },
    agent: { common: 'BUILD-01', rare: 'BUILD-02', none: 'attic' },
    changelist: { common: '777', rare: '1', none: '100' },
    commit: [
      { common: COMMON_COMMIT, rare: RARE_COMMIT, none: OTHER_COMMIT },
      // A prefix that is not a whole hash matches a few builds.
      { common: RARE_COMMIT.slice(0, 8), rare: RARE_COMMIT.slice(0, 12), none: 'feedfac' },
    ],
    finished_since: { common: '2020-01-01', rare: TIMES.newest, none: TIMES.never },
    finished_until: { common: TIMES.never, rare: '2025-11-05T06:50:00Z', none: '2020-01-01' },
  },
  searchAssets: {},
  searchChanges: { branch: { common: 'main', rare: 'hotfix', none: 'attic', bulk: 'legacy' } },
}
