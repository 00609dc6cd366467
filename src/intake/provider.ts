import type { ProviderCategory, ProviderName, ProviderSigning } from '../contract/sets.ts'
import type { JobKind, Jobs } from '../db/queue.ts'
import type { Fact } from './facts.ts'
import type { Setup } from './setup.ts'

/** One request of a tool as it arrived, its token already matched to an integration. */
export interface Delivery {
  /** Below `/webhooks/`: the provider's name, maybe with the event behind it. */
  path: string
  /** Lower-case names, first values. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Buffer
  /** The JSON, or the fields of a form (a form's `payload` field is read as the JSON it holds); undefined when the body is empty. */
  body: unknown
  /** The address as the tool knows it, query included: some sign it. */
  url: string
  received: Date
  /** Its body is read, and not stored: the account has no room for it. */
  over_quota?: boolean
  /** A stored one whose log was left out: its build has it. */
  lean?: boolean
  /** What the operator set on the integration. */
  config: Readonly<Record<string, unknown>>
}

/** A delivery before its body is parsed: all that a signature is about. */
export type Unparsed = Omit<Delivery, 'body'>

/** A body that cannot be understood: 422, nothing recorded. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export interface Handshake {
  headers?: Record<string, string>
  body?: unknown
  /** A signing secret the tool hands over here and never again. */
  secret?: string
}

/** A short delivery in the tool's own format; `mark` makes every one of them new, `now` is an ISO time. */
export type Sample = (about: { mark: number; now: string; title: string; job: string }) => {
  /** The provider's first path unless given. */
  path?: string
  headers?: Record<string, string>
  body: unknown
}

/** The tool's own server, which may be asked for what its deliveries leave out. */
export interface ServerSettings {
  /** What is gained by it, for people. */
  why: string
  /** Fields of the integration's settings; `server` is the address. */
  fields: readonly { key: string; label: string; hint?: string }[]
}

/** A job that asks the tool's server. */
export type ServerJob = { [K in JobKind]: { kind: K; payload: Jobs[K]; name?: string } }[JobKind]

/** A tool: what people call it, where it calls, how it proves itself, and what it says. Every function is pure. */
export interface Provider {
  name: ProviderName
  label: string
  /** What it reports, for whoever chooses a tool to connect. */
  reports: string
  category: ProviderCategory
  /** Below `/webhooks/`. */
  paths: readonly string[]
  /** Below `/webhooks/` too: where the log of a running build may be streamed to. */
  logPaths?: readonly string[]
  /** Which header may carry the webhook token instead of `?token=`; `x-webhook-token` goes together with HTTP Basic. */
  tokenHeader: 'x-service-token' | 'x-webhook-token' | null
  /** The webhook token may also stand in the field `token` of a short body. */
  tokenInBody?: true
  /** 202 where the work is done after the answer. */
  answers: 200 | 202
  /** `GET …/verify` is not served. */
  withoutVerify?: true
  /** The tool registers an address only after it answered `HEAD`. */
  answersHead?: true
  /** Whether a signing secret may be set, must be, or is handed over by the tool itself; `optional` unless given. */
  signing?: ProviderSigning
  /** Headers that hold a signature although their name does not say so: the delivery log leaves them out. */
  secretHeaders?: readonly string[]
  /**
   * Whether the delivery is authentic, given the integration's secrets. `required`: the signature must be right even on paths that accept the
   * token alone; there is at least one secret then. Runs before the body is parsed, so that only authentic bodies cost that work.
   */
  verify(delivery: Unparsed, secrets: readonly string[], required?: boolean): boolean
  /** Whether a signed delivery is recent, where its time stands in the body. */
  isFresh?(delivery: Delivery): boolean
  /** The tool's first contact, answered before anything is verified. */
  handshake?(delivery: Delivery): Handshake | undefined
  /** What makes two deliveries the same; undefined falls back to a hash of path and raw body. */
  deliveryKey?(delivery: Delivery): string | undefined
  /** The tool's own word for what happened, for the delivery log. */
  event(delivery: Delivery): string
  /** What was said. Nothing of interest is an empty list; a body beyond understanding throws `Unreadable`. */
  read(delivery: Delivery): Fact[]
  server?: ServerSettings
  /** What the server is asked for once a fact was recorded under `id`; only where a server is configured. */
  followUp?(fact: Fact, id: number): ServerJob | undefined
  setup: Setup
  sample: Sample
}

/** One of several things a tool posts to the same address, each with its own key, event and reading. */
export type Dialect = Pick<Provider, 'deliveryKey' | 'event' | 'read'>
