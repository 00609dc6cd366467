import type { ProviderCategory, ProviderName, ProviderSigning } from '../contract/sets.ts'
import type { JobKind, Jobs } from '../db/queue.ts'
import type { Fact } from './facts.ts'
import type { History } from './history/history.ts'
import type { Setup } from './setup.ts'

/** How long a sender waits for its answer, in milliseconds, unless its tool waits less. */
export const PATIENCE_MS = 25_000

/** One request of a tool as it arrived, with its token already matched to an integration. */
export interface Delivery {
  /** Below `/webhooks/`: the provider's name, possibly followed by the event. */
  path: string
  /** Lower-case names, first values. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Buffer
  /** The JSON, or the fields of a form (a form's `payload` field is parsed as JSON); undefined if the body is empty. */
  body: unknown
  /** The URL as the tool knows it, query included: some sign it. */
  url: string
  /** When the request began to arrive. */
  received: Date
  /** Its body is read, but not stored: the account is over its quota. */
  over_quota?: boolean
  /** A stored one without its log: its build has it. */
  lean?: boolean
  /** The integration's settings. */
  config: Readonly<Record<string, unknown>>
}

/** A delivery before its body is parsed: everything that a signature covers. */
export type Unparsed = Omit<Delivery, 'body'>

export interface Handshake {
  headers?: Record<string, string>
  body?: unknown
  /** A signing secret that the tool hands over only here. */
  secret?: string
}

/** A short delivery in the tool's own format; `mark` makes each one unique, `now` is an ISO time. */
export type Sample = (about: { mark: number; now: string; title: string; job: string }) => {
  /** The provider's first path by default. */
  path?: string
  headers?: Record<string, string>
  body: unknown
}

/** The tool's own server, which can be queried for what its deliveries leave out. */
export interface ServerSettings {
  /** Its benefit, for people. */
  why: string
  /** Fields of the integration's settings; `server` is the URL. */
  fields: readonly { key: string; label: string; hint?: string }[]
  /** What is written there if somebody switches it on, for people. */
  writeBackDoes?: string
  /** If something can be written there: the permissions that this needs, for people. */
  writeBackNeeds?: string
}

/** What a record says about where it is at the tool's server. */
export interface Located {
  /** Of a build. */
  job?: string | undefined
  /** The page of a build, change or issue. */
  url?: string | undefined
  /** Of an issue. */
  issue?: string | undefined
  /** Of a file. */
  path?: string | undefined
}

/**
 * A server has more than one project's jobs, repositories or issues, and payloads name any of them: a stored credential is used only for
 * those of the integration's list. See `reach/reach.ts`.
 */
export interface Places {
  /** For people, in the plural. */
  noun: string
  example: string
  /** Those that the settings name. */
  inSettings?(config: Readonly<Record<string, unknown>>): string[]
  /** The name of the place in the list; undefined if the record does not say it, or is not at this server. */
  of(located: Located, config: Readonly<Record<string, unknown>>): string | undefined
  /** What a person typed, as `of` writes it. */
  spelled?(name: string): string
  /** Whether an entry of the list covers a place: by default it is the same, or an entry such as `Game/*` above it. */
  covers?(entry: string, place: string): boolean
  /** A new build belongs to the place of its job, wherever the page of an earlier one is. */
  startsByJob?: true
  /** What a lead would confirm for such a place. */
  outline?(place: string): string
}

/** A job that calls the tool's server. */
export type ServerJob = { [K in JobKind]: { kind: K; payload: Jobs[K]; name?: string } }[JobKind]

export interface ResultAddress {
  /** As the write-back calls it. */
  subject: string
  address: string
}

/** The job that reads the streams of a server, and how many seconds apart it runs at least. */
export interface Streams {
  job: ServerJob & { name: string }
  seconds: number
}

/** A tool: its name, its webhook paths, how it authenticates, and how its deliveries are read. Every function is pure. */
export interface Provider {
  name: ProviderName
  label: string
  /** What it reports, for people who choose a tool to connect. */
  reports: string
  category: ProviderCategory
  /** Below `/webhooks/`. */
  paths: readonly string[]
  /** Also below `/webhooks/`: where the log of a running build can be streamed to. */
  logPaths?: readonly string[]
  /** It reports builds besides what its category says, so that test results may use its token. */
  reportsBuilds?: true
  /** Its bridge sends the users of its server to `/webhooks/people`. */
  listsUsers?: true
  /** The header that may contain the webhook token instead of `?token=`; `x-webhook-token` is used with HTTP Basic. */
  tokenHeader: 'x-service-token' | 'x-webhook-token' | null
  /** The webhook token may also be in the field `token` of a short body. */
  tokenInBody?: true
  /** 202 if the work is done after the response. */
  answers: 200 | 202
  /** Milliseconds until the tool gives up waiting for a response, if that is sooner than others do (`PATIENCE_MS`). */
  patience?: number
  /**
   * The tool stops sending after a few errors, and later events are lost: a delivery that cannot be read is recorded as failed and answered 200.
   */
  stopsAfterErrors?: true
  /** `GET …/verify` is not served. */
  withoutVerify?: true
  /** The tool registers a URL only after a successful `HEAD`. */
  answersHead?: true
  /** Whether a signing secret is optional, required, or handed over by the tool itself; `optional` by default. */
  signing?: ProviderSigning
  /** Fields of the body with secrets, wherever they are in it: their values are not stored. */
  secretsInBody?: readonly string[]
  /** Headers with a signature although their name does not show it: the delivery log omits them. */
  secretHeaders?: readonly string[]
  /**
   * Whether the delivery is authentic, given the integration's secrets. `required`: the signature must be valid even on paths that accept
   * the token alone; there is at least one secret then. Runs before the body is parsed, so that only authentic bodies cost that work.
   */
  verify(delivery: Unparsed, secrets: readonly string[], required?: boolean): boolean
  /** Whether a signed delivery is recent, if its time is in the body. */
  isFresh?(delivery: Delivery): boolean
  /** The tool's first contact, answered before anything is verified. */
  handshake?(delivery: Delivery): Handshake | undefined
  /** The deduplication key; undefined falls back to a hash of path and raw body. */
  deliveryKey?(delivery: Delivery): string | undefined
  /** The tool's own event name, for the delivery log. */
  event(delivery: Delivery): string
  /** The facts of a delivery. Nothing of interest is an empty list; an unusable body throws `Unreadable`. */
  read(delivery: Delivery): Fact[]
  server?: ServerSettings
  /** How the server names what a report may name; absent if the settings name the only project or repository that is asked for. */
  places?: Places
  /** Its server gives files by path and change, for previews; see `server-files.ts`. */
  givesFiles?: true
  /** The job that queries the server once a fact was recorded under `id`; only if a server is configured. */
  followUp?(fact: Fact, id: number, accountId: number): ServerJob | undefined
  /** The job that asks the server for its streams after a change with files on none of them. */
  unplaced?(integrationId: number, accountId: number): Streams
  /** The job that polls the server, again and again, of a tool that can't send. It is named. */
  poll?(integrationId: number, accountId: number): ServerJob & { name: string }
  /** Where the tool wants the result of what it reports; whoever has the address may set it. Only kept if results are written back. */
  resultAddress?(delivery: Delivery): ResultAddress | undefined
  /** How its server is asked for what happened before it was connected. */
  history?: History
  setup: Setup
  sample: Sample
}

/** One of several formats that a tool posts to the same path, each with its own key, event and reader. */
export type Dialect = Pick<Provider, 'deliveryKey' | 'event' | 'read'>
