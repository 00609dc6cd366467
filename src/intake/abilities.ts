import type { JobKind } from '../db/queue.ts'
import type { ListedPerson } from '../domain/accounts/people-list.ts'
import type { AllowedHosts } from '../net/addresses.ts'
import type { Transport } from './history/transport.ts'
import type { JobContext } from './job-context.ts'
import type { CheckedOut } from './providers/checked-out.ts'
import type { Act } from './providers/ci-action.ts'
import type { AskedServer, UserList } from './providers/user-list.ts'
import type { Json } from './reading.ts'
import type { ReviewWriteBack, TrackerWriteBack, WriteBack } from './write-back/server.ts'

/** What the server of a tool can be asked for. Apart from the tool's declaration (`Provider`), which only reads what it sends. */
export interface Abilities {
  /** Jobs that call the server, by kind. */
  jobs?: Readonly<Record<string, ServerJob>>
  act?: Act
  /** The job that starts a build. */
  starts?: JobKind
  users?: UserList | ((server: AskedServer) => Promise<ListedPerson[]>)
  /** Results of builds beside the commit or the merge request. */
  results?: WriteBack
  /** Fixes of breakages in issues. */
  issues?: TrackerWriteBack
  /** The verdict of a shelf in its code review. */
  reviews?: ReviewWriteBack
  /** Who has a file checked out. */
  checkouts?: (config: Readonly<Json>, path: string, context: { allowed: AllowedHosts }) => Promise<CheckedOut[]>
  /** How its past is read if it has no HTTP API. */
  transport?: Transport
  /** The bytes of a file at a change, for previews. */
  file?: ReadFile
}

export type ServerJob = (outside: JobContext, payload: never, signal?: AbortSignal) => Promise<unknown>

/** A file, or its first bytes. */
export interface ServerFile {
  bytes: Buffer
  isCut: boolean
}

type ReadFile = (
  context: JobContext,
  config: Readonly<Json>,
  wanted: {
    path: string
    /** The change that made the version. */
    identifier: string
  },
  limit: number,
  signal?: AbortSignal,
) => Promise<ServerFile>
