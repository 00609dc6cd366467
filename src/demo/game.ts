import type {
  AssetType,
  BuildType,
  DeploymentStatus,
  FailureCategory,
  Platform,
  ProjectRole,
  ProviderName,
  SourceType,
  TargetType,
} from '../contract/sets.ts'
import type { Handle, PersonKey } from './people.ts'

/** A template of a change: `+` before a path adds it, `-` deletes it; `{thing}`, `{Name}`, `{name}` and `{n}` are replaced. */
export interface Work {
  /** People, or agents that submit by themselves. */
  by: readonly string[]
  text: string
  files: readonly string[]
}

/** Every item of an area goes through its works in order. */
export interface Area {
  things: readonly string[]
  works: readonly Work[]
}

export interface Job {
  name: string
  target: TargetType
  branch: string
  /** Shortest and longest. */
  minutes: readonly [number, number]
  when: 'change' | 'night'
  phases: readonly string[]
  /** Its output when it passes; `{number}`, `{change}` and `{minutes}` are replaced. */
  log: string
  /** Name and megabytes. */
  artifacts: readonly (readonly [string, number])[]
}

/** A job breaks, stays broken for some changes, and a change fixes it. */
export interface Incident {
  key: string
  job: string
  category: FailureCategory
  /** The share of the usual duration before it fails. */
  share: number
  /** How many changes are built before the fix. */
  lasts: number
  log: string
  /** Absent for an infrastructure failure. */
  culprit?: Work
  fix: Work
}

/** A build of something that is not submitted yet; with a log it failed. */
export interface Preflight {
  job: string
  shelf?: string
  pull_request?: string
  /** Minutes before now. */
  age: number
  log?: string
}

/** A test that fails and passes at the same change. */
export interface Flicker {
  job: string
  /** Days before now. */
  days: readonly number[]
  log: string
}

/** Automated tests of a job: their suites, and how a test failed in a build of which so many are newer. */
interface Tests {
  job: string
  platform: string
  rhi: string
  suites: readonly (readonly [suite: string, names: readonly string[]])[]
  failureOf(test: string, age: number): string | undefined
  /** A runner that tries these again reports a test that passed then as flaky. */
  retried: string
  quarantined: { test: string; reason: string }
}

/** A machine that fails the builds of a job now and then; the next change passes on another machine. */
export interface BadAgent {
  agent: string
  job: string
  /** Days before now. */
  days: readonly number[]
  log: string
}

/** The largest value that a measure should have. */
interface Budget {
  measure: string
  job: string
  branch: string
  max_value: number
}

export interface Release {
  platform: Platform
  /** A branch of the store; the next release of the same version there promotes the same build. */
  track?: string
  status: DeploymentStatus
  /** Days before now. */
  age: number
  version: string
  branch: string
  job: string
}

export interface TaskIdea {
  type: string
  priority: string
  state: string
  who: PersonKey | Handle | undefined
  labels: readonly string[]
  /** An incident's key, or a word of the related changes. */
  about: string
  title: string
  description: string
}

/** A tracker item that a task names. */
interface ReferenceIdea {
  provider: ProviderName
  key: string
  title: string
  state: string
  who?: PersonKey
}

export interface Game {
  key: string
  account: string
  name: string
  engine: string
  buildType: BuildType
  sourceType: SourceType
  /** The branch or stream that everybody works on. */
  main: string
  /** The integration that reports the builds. */
  ci: ProviderName
  integrations: readonly ProviderName[]
  team: readonly PersonKey[]
  /** What needs approval; without, the default rule. */
  approvalRules?: readonly {
    asset_types: readonly AssetType[]
    gate: boolean
    stages: readonly { name: string; project_role: ProjectRole; users?: readonly PersonKey[] }[]
  }[]
  /** A level with a file per actor, and how many of them wait. */
  actors?: { level: string; count: number }
  /** The people who decide about assets. */
  approvers: readonly PersonKey[]
  /** The number of changes, the number of builds, the number of pending approvals. */
  changes: number
  built: number
  pending: number
  /** The newest changes, in minutes before now. */
  latest: readonly number[]
  firstNumber: number
  storeIds: Partial<Record<Platform, string>>
  jobs: readonly Job[]
  areas: readonly Area[]
  incidents: readonly Incident[]
  preflights: readonly Preflight[]
  flickers: readonly Flicker[]
  badAgents: readonly BadAgent[]
  tests?: Tests
  budgets: readonly Budget[]
  releases: readonly Release[]
  tasks: readonly TaskIdea[]
  references: readonly ReferenceIdea[]
}
