import type { ProviderName } from '../../contract/sets.ts'
import type { JobContext } from '../job-context.ts'
import type { Json } from '../reading.ts'
import { diversionFile } from './diversion/server-file.ts'
import { gitHubFile } from './github/server-file.ts'
import { gitLabFile } from './gitlab/server-file.ts'
import { perforceFile } from './perforce/server-file.ts'

/** A file, or its first bytes. */
export interface ServerFile {
  bytes: Buffer
  isCut: boolean
}

interface Wanted {
  path: string
  /** The change that made the version. */
  identifier: string
}

type ReadFile = (
  context: JobContext,
  config: Readonly<Json>,
  wanted: Wanted,
  limit: number,
  signal?: AbortSignal,
) => Promise<ServerFile>

/** Servers that give files; the providers declare it as `givesFiles`. */
export const serverFiles: Partial<Record<ProviderName, ReadFile>> = {
  diversion: diversionFile,
  github: gitHubFile,
  gitlab: gitLabFile,
  perforce: perforceFile,
}
