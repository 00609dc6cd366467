import type { ServerResponse } from 'node:http'
import type { ProviderName } from '../../../src/contract/sets.ts'

const DAY_MS = 86_400_000
/** Whole seconds, as git has them. */
export const daysAgo = (days: number, minutes = 0) =>
  new Date(Math.floor(Date.now() / 1000) * 1000 - days * DAY_MS + minutes * 60_000).toISOString().replace('.000Z', 'Z')

export const minutesAfter = (at: string, minutes: number) =>
  new Date(Date.parse(at) + minutes * 60_000).toISOString().replace('.000Z', 'Z')

export interface Commit {
  sha: string
  /** Absent for the first one of all. */
  parent?: string
  message: string
  date: string
  files: { path: string; action: 'add' | 'edit' }[]
}

export interface Build {
  id: number
  job: string
  number: number
  sha: string
  failed: boolean
  started: string
  finished: string
  /** Of this pull request instead of the branch. */
  pull?: number
}

export interface Deployment {
  id: number
  environment: string
  sha: string
  isLive: boolean
  at: string
}

export interface Release {
  id: number
  tag: string
  sha: string
  isDraft: boolean
  at: string
}

export interface Issue {
  number: number
  title: string
  isOpen: boolean
  assignee: string | null
  updated: string
}

/** What a tool sends. */
export interface Delivery {
  headers?: Record<string, string>
  body: unknown
}

/** A tool with a server that can be asked for the past, and the webhooks of the same events. */
export interface Tool {
  provider: ProviderName
  config: Record<string, unknown>
  signing_secret?: string
  calls: string[]
  /** Calls that were answered with 304. */
  unchanged?: string[]
  state: ToolState
  /** How it calls a commit; its hash by default. */
  identifierOf?(commit: Commit): string
  pushed?(commits: readonly Commit[]): Delivery | Delivery[]
  built?(build: Build): Delivery | Delivery[]
  deployed?(deployment: Deployment): Delivery[]
  released?(release: Release): Delivery[]
  filed?(issue: Issue): Delivery
  /** Everything else that it tells. */
  more?: Delivery[]
  close(): unknown
}

export interface ToolState {
  /** Answers instead of the tool; false leaves it to the tool. */
  instead?: ((path: string, reply: ServerResponse) => boolean) | undefined
  /** Requests that are left in the tool's window. */
  remaining: number
}

export interface World {
  commits: Commit[]
  builds: Build[]
  deployments: Deployment[]
  releases: Release[]
  issues: Issue[]
}

/** Far above those that the database gives. */
let lastTask = 900_000_000

const sha = (at: number) => at.toString(16).padStart(40, 'c')

/** The last month of a small studio: every fifth commit is built, every fourth build fails, two commits name all of the tasks. */
export function fictionalStudio({ commits: count = 25, tasks: named = 0 } = {}): World & { tasks: number[] } {
  const tasks = Array.from({ length: named }, () => ++lastTask)
  const naming = tasks.map((id) => ` #${id}`).join('')
  const commits = Array.from({ length: count }, (_, at) => ({
    sha: sha(at),
    ...(at > 0 && { parent: sha(at - 1) }),
    message: `Work ${at}${at === 4 || at === 7 ? naming : ''}`,
    date: daysAgo(30, at * 60),
    files: [
      { path: `Art/T_${at % 5}.png`, action: at < 5 ? ('add' as const) : ('edit' as const) },
      { path: `src/part${at % 7}.c`, action: 'edit' as const },
    ],
  }))
  const builds = Array.from({ length: Math.floor(count / 5) - 1 }, (_, at) => ({
    id: 1000 + at,
    job: at % 2 ? 'Cook' : 'Game',
    number: at + 1,
    sha: sha(5 * at + 4),
    failed: at % 4 === 3,
    started: daysAgo(30, (5 * at + 4) * 60 + 5),
    finished: daysAgo(30, (5 * at + 4) * 60 + 25),
    ...(at === 2 && { pull: 7 }),
  }))
  const deployments = [0, 1, 2].map((at) => ({
    id: 300 + at,
    environment: at === 0 ? 'steam/beta' : 'production',
    sha: sha(5 * at + 4),
    isLive: at === 0,
    at: daysAgo(29, at * 60),
  }))
  const releases = [0, 1, 2].map((at) => ({
    id: 600 + at,
    tag: `v1.${at}`,
    sha: sha(5 * at + 4),
    isDraft: at === 2,
    at: daysAgo(28, at * 60),
  }))
  const issues = [0, 1, 2].map((at) => ({
    number: 40 + at,
    title: `Bug ${at}`,
    isOpen: at > 0,
    assignee: at === 2 ? 'ann' : null,
    updated: daysAgo(20, at),
  }))
  return { commits, builds, deployments, releases, issues, tasks }
}
