import type { ProviderName } from '../../contract/sets.ts'
import type { ReviewWriteBack, TrackerWriteBack, WriteBack } from '../write-back/server.ts'
import { writeBack as github } from './github/write-back.ts'
import { writeBack as gitlab } from './gitlab/write-back.ts'
import { writeBack as jira } from './jira/write-back.ts'
import { writeBack as linear } from './linear/write-back.ts'
import { writeBack as perforce } from './perforce/write-back.ts'

/** The tools to whose servers results of builds can be written. */
export const WRITE_BACKS: Partial<Record<ProviderName, WriteBack>> = { github, gitlab }

/** The trackers whose issues are told about fixes. */
export const TRACKER_WRITE_BACKS: Partial<Record<ProviderName, TrackerWriteBack>> = { jira, linear }

/** The tools whose code reviews get the verdict of a shelf. */
export const REVIEW_WRITE_BACKS: Partial<Record<ProviderName, ReviewWriteBack>> = { perforce }
