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

/** Where something is written: a tool's server and the settings for it. */
interface Place {
  /** The repository or project of a page that the tool reported, if the settings are for it. */
  repositoryOf(config: Readonly<Json>, page: string): string | undefined
  /** For the repositories that reported so far. Throws `Refused`, which names the missing permission. */
  check(config: Readonly<Json>, allowed: AllowedHosts, repositories: readonly string[]): Promise<unknown>
}

/** How results of builds are written to the server of a tool. */
export interface WriteBack extends Place {
  open(config: Readonly<Json>, repository: string, allowed: AllowedHosts, signal?: AbortSignal): WritableRepository
}

/** An issue of a tracker: its key and its page. */
export interface Issue {
  key: string
  page: string
}

/** A tracker's server. Every call throws `Refused` if the server refuses; with 404, the issue or comment does not exist. */
export interface WritableTracker {
  /** The id of our comment that contains the text. */
  findComment(issue: Issue, text: string): Promise<string | undefined>
  createComment(issue: Issue, body: string): Promise<string>
  editComment(issue: Issue, id: string, body: string): Promise<unknown>
  /** Moves it to the done state of this name, unless it is done. */
  finish(issue: Issue, state: string): Promise<unknown>
}

/** How fixes of breakages are written to the issues of a tracker. */
export interface TrackerWriteBack extends Place {
  open(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal): WritableTracker
}

/** A code review of a shelf. */
export interface Review {
  id: string
  /** When each version of its content came, ISO 8601, the oldest first. */
  versions: string[]
}

/** What a test run of a review shows. */
export interface RunResult {
  status: 'running' | 'pass' | 'fail'
  /** A line for each job. */
  messages: string[]
  /** The page of a build. */
  url: string
}

/** A server of code reviews. Every call throws `Refused` if the server refuses; with 404, the review or comment does not exist. */
export interface WritableReviews {
  /** The review of a shelf; undefined if there is none, or several. */
  find(shelf: string): Promise<Review | undefined>
  vote(review: string, vote: 'up' | 'down' | 'clear', version: number): Promise<unknown>
  /** The id of our comment that contains the text. */
  findComment(review: string, text: string): Promise<string | undefined>
  createComment(review: string, body: string): Promise<string>
  editComment(id: string, body: string): Promise<unknown>
  /** Without a login: the address is the secret of the test run. */
  report(address: string, result: RunResult): Promise<unknown>
}

/** How verdicts of shelves are written to their reviews. */
export interface ReviewWriteBack extends Place {
  open(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal): WritableReviews
}
