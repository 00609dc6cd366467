import type { ProviderName } from '../../contract/sets.ts'
import type { WriteBack } from '../write-back/server.ts'
import { writeBack as github } from './github/write-back.ts'
import { writeBack as gitlab } from './gitlab/write-back.ts'

/** The tools to whose servers results can be written. */
export const WRITE_BACKS: Partial<Record<ProviderName, WriteBack>> = { github, gitlab }
