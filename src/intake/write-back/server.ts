import type { AllowedHosts } from '../../net/addresses.ts'
import type { Json } from '../reading.ts'

/** The result of a job at a commit, shown beside the commit. */
export interface Status {
  state: 'passed' | 'failed' | 'canceled'
  /** `goldmaster/Cook`. */
  name: string
  description: string
  /** The page of the build. */
  url: string
}

/** A repository whose server is asked with the opened settings of an integration. Everything throws `Refused` if the server refuses. */
export interface WritableRepository {
  setStatus(commit: string, status: Status): Promise<unknown>
  /** Whether the newest status of this name says the same. */
  hasStatus(commit: string, status: Status): Promise<boolean>
  /** The id of our first comment that begins with the mark: anybody can write such a comment. */
  findComment(pull: string, mark: string): Promise<string | undefined>
  createComment(pull: string, body: string): Promise<string>
  editComment(pull: string, id: string, body: string): Promise<unknown>
}

/** How results are written to the server of a tool. */
export interface WriteBack {
  /** The repository of a commit's or a build's page, if the settings are for it. */
  repositoryOf(config: Readonly<Json>, page: string): string | undefined
  open(config: Readonly<Json>, repository: string, allowed: AllowedHosts, signal?: AbortSignal): WritableRepository
  /** For the repositories that reported so far. Throws `Refused`, which names the missing permission. */
  check(config: Readonly<Json>, allowed: AllowedHosts, repositories: readonly string[]): Promise<unknown>
}

/** What our own statuses are called: they are ignored when the tool reports them. */
export const OWN_PREFIX = 'goldmaster/'
