import type {
  BuildStatus,
  BuildType,
  DeploymentStatus,
  Platform,
  ProviderName,
  SourceType,
  TargetType,
} from '../contract/sets.ts'

/** One request of a tool as it arrived, its token already matched to an integration. */
export interface Delivery {
  /** Below `/webhooks/`: `github`, `game_engine/asset_cooked`. */
  path: string
  /** Lower-case names, first values. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Buffer
  /** The JSON, or the fields of a form (a form's `payload` field is read as the JSON it holds); undefined when the body is empty. */
  body: unknown
  /** The address as the tool knows it, query included: Trello signs it. */
  url: string
  received: Date
  /** Its body is read, and not stored: the account has no room for it. */
  over_quota?: boolean
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

/** A tool: where it calls, how it proves itself, and what it says. Every function is pure. */
export interface Provider {
  name: ProviderName
  /** Below `/webhooks/`. */
  paths: readonly string[]
  /** Which header may carry the webhook token beside `?token=`; `x-webhook-token` goes together with HTTP Basic. */
  tokenHeader: 'x-service-token' | 'x-webhook-token' | null
  /** 202 where the work is done after the answer. */
  answers: 200 | 202
  /**
   * Whether the delivery is what it claims, given the integration's secrets (maybe none). Absent: the tool signs nothing. Asked before
   * the body is parsed: only who can sign may cost us that.
   */
  verify?(delivery: Unparsed, secrets: readonly string[]): boolean
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
}

/** One of several things a tool posts to the same address, each with its own key, event and reading. */
export type Dialect = Pick<Provider, 'deliveryKey' | 'event' | 'read'>

export interface FileFact {
  path: string
  action: string
  size_bytes?: number
}

export interface ChangeFact {
  kind: 'change'
  source_type: SourceType
  identifier: string
  /** As the tool wrote it, address included: it is resolved to a user first and sanitized where it leaves. */
  author: string
  /** What the author may be known by among connected accounts of this provider, best first (login, id, address). */
  author_uids: string[]
  description: string
  /** ISO 8601; null when the tool did not say. */
  timestamp: string | null
  branch: string
  /** null: the tool did not tell which files. */
  files: FileFact[] | null
  /** Only the number is known: the details are asked from the version control server where one is configured. */
  incomplete?: true
}

/** A commit that is no longer on its branch. */
export interface OrphanFact {
  kind: 'orphan'
  source_type: SourceType
  identifier: string
}

/** How a report names its build; the first of these that finds one wins, in this order. */
export interface BuildReference {
  build_run_id?: number
  /** The tool's own id for the run, where job and number do not travel with every event. */
  external_id?: string
  job?: string
  number?: string
  /** The newest build of this commit. */
  commit?: string
}

export interface StepFact {
  name: string
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  detail?: string
  /** A later phase implies that this one is over: ends the step where it runs, never makes one, never turns a failed one. */
  ends?: true
}

export interface ArtifactFact {
  name: string
  size_bytes: number | null
  url: string
}

export interface BuildFact {
  kind: 'build'
  build: BuildReference
  /** Absent: the report says nothing about the state. */
  status?: BuildStatus
  /** The CI itself holds the build (a block step): only the CI lets it go. */
  held?: true
  /** The build may belong to any integration of the project (engine events beside a CI). */
  anywhere?: true
  /** A report that may not make a build, only add to one. */
  existing?: true
  /** Ask the configured CI server to start this job. */
  start?: true
  build_type?: BuildType
  target_type?: TargetType
  commit_hash?: string
  changelist?: string
  branch?: string
  url?: string
  phase?: string
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  log?: string
  steps?: StepFact[]
  artifacts?: ArtifactFact[]
  /** When the tool says it happened. */
  at?: string
}

export interface DeploymentFact {
  kind: 'deployment'
  platform: Platform
  /** Within integration and platform, what makes two reports speak of the same deployment (mostly the build number). */
  key: string
  build_number?: string
  /** Absent: the word was not understood; the deployment is kept as it is, `pending` when new. */
  status?: DeploymentStatus
  /** The upload is done: sets `deployed_at`. */
  uploaded?: true
  /** Told back to the sender in the reply. */
  warning?: string
  branch?: string
  version?: string
  external_id?: string
  external_build_id?: string
  commit?: string
  build_run_id?: number
  at?: string
}

/** An item of a tracker. Absent fields stay as they are known. */
export interface ReferenceFact {
  kind: 'reference'
  /** As people write it: `GAME-12`, `owner/repo#7`. */
  key: string
  title?: string
  state?: string
  url?: string
  assignee_uid?: string | null
  /** Gone in the tracker, or there again. */
  deleted?: boolean
  /** When the tracker says it happened: what comes late may not undo what came since. */
  at?: string
}

export type Fact = ChangeFact | OrphanFact | BuildFact | DeploymentFact | ReferenceFact

export const isChange = (fact: Fact): fact is ChangeFact => fact.kind === 'change'
