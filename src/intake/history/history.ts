import type { ImportPart } from '../../contract/sets.ts'
import type { FetchedReply } from '../../net/safe-fetch.ts'
import type { ChangedFile, ChangeFact, Fact } from '../facts.ts'
import { type Json, number, text } from '../reading.ts'

/** One request for a page. */
export interface HistoryRequest {
  /** Below the server in the integration's settings; of a server that isn't asked over HTTP, what it understands. */
  path: string
  /** Of the last reply to the same request: it needn't be repeated. */
  etag?: string
  /** Another host of the same vendor. */
  server?: string
  /** Sent as JSON with POST. */
  body?: object
}

/** What a request or a reading depends on. */
export interface Asked {
  /** The place in the part; empty for its first page. */
  cursor: Json
  /** ISO 8601. */
  since: string
  until: string
  /** With decrypted secrets. */
  config: Readonly<Json>
  /** What `about` read. */
  about: Json
  /** The jobs that this integration has reported builds of, for parts `ofJobs`; never empty. */
  jobs: readonly string[]
}

export interface HistoryReply {
  headers: FetchedReply['headers']
  body: unknown
  /** The answers to what `details` asked for, by path; undefined if the tool has no such thing, or the token can't see it. */
  details: ReadonlyMap<string, unknown>
}

export interface HistoryPage {
  /** The same facts that the tool's own reports give. Commits are newest first. */
  facts: Fact[]
  /** The cursor of the next page; absent: this was the last one. */
  next?: Json
  /** How many seconds to wait before the next page, if the body says so. */
  wait?: number
  /** The commits of the next page are of another branch. */
  isOtherBranch?: true
}

/** One kind of record of a tool, read page by page. Every function is pure. */
export interface HistoryPart {
  name: ImportPart
  /** The permission of the access token that it needs, as the tool names it. */
  needs: string
  /** A cheap request that tells how many there are; undefined if the tool doesn't tell. */
  count?: { request(asked: Asked): HistoryRequest; read(reply: HistoryReply): number | undefined }
  page(asked: Asked): HistoryRequest
  /** What the page leaves out of its records. Called again with the answers, until nothing is missing. */
  details?(reply: HistoryReply, asked: Asked): HistoryRequest[]
  read(reply: HistoryReply, asked: Asked): HistoryPage
  /** The server also has jobs of other projects: only those that the tool reported are asked for. */
  ofJobs?: true
  /** Asked once for every change without files, whose identifier is in the cursor. */
  ofChanges?: true
}

/** How the past of a tool is read. */
export interface History {
  /** For servers with an HTTP API. */
  headers?: ((config: Readonly<Json>) => Record<string, string>) | undefined
  /** A reply that has not changed costs nothing of the tool's limit. */
  conditional?: true
  /** Settings that it needs besides the server, by key. */
  settings?: readonly string[]
  /** Read first: what the pages leave out, such as the id of the repository. */
  about?: { path: string | ((config: Readonly<Json>) => string); read(body: unknown, jobs: readonly string[]): Json }
  parts: readonly HistoryPart[]
}

/** The page of a `Link` header, or undefined. */
export function linkedPage(headers: FetchedReply['headers'], rel: 'next' | 'last'): number | undefined {
  const links = String(headers.link ?? '').split(',')
  const found = links.find((link) => link.includes(`rel="${rel}"`))
  const page = /[?&]page=(\d+)/.exec(found ?? '')?.[1]
  return page === undefined ? undefined : Number(page)
}

/** The cursor of the page that `X-Next-Page` names; undefined after the last one. */
export const pageAfter = (headers: FetchedReply['headers']): { page: number } | undefined => {
  const page = number(headers['x-next-page'])
  return page === undefined ? undefined : { page }
}

/** A change of which only the files are told, in the order of a push. */
export const filesOnly = (identifier: string, files: readonly ChangedFile[]): ChangeFact => ({
  kind: 'change',
  source_type: 'GitCommit',
  identifier,
  author: '',
  author_uids: [],
  description: '',
  timestamp: null,
  branch: '',
  files: ['add', 'edit', 'delete'].flatMap((action) => files.filter((file) => file.action === action)),
})

/** The job whose builds are read; the first one at the start. */
export const jobOf = ({ cursor, jobs }: Pick<Asked, 'cursor' | 'jobs'>): string => text(cursor.job) ?? jobs[0] ?? ''

/** The cursor of the next job; undefined after the last one. */
export const jobAfter = (job: string, jobs: readonly string[]): { job: string } | undefined => {
  const next = jobs.find((one) => one > job)
  return next === undefined ? undefined : { job: next }
}
