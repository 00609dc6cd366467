import type { ChangedFile } from '../finding.ts'
import type { Fit } from './match.ts'

/** Every tool has its own words for a file action. */
const ADDED = /^(?:a|adds?|added|create|created|new|branch|import|move\/add)$/i
const DELETED = /^(?:d|delete|deleted|remove|removed|purge|move\/delete)$/i
const RENAMED = /^(?:r\d*|rename|renamed|move|moved)$/i

export const isNew = ({ action }: ChangedFile): boolean => ADDED.test(action)

/** The file was moved or deleted, and the log reports it missing. */
export const isMissed = ({ clue, how }: Fit, { action }: ChangedFile): boolean =>
  clue.missing && how !== 'folder' && (DELETED.test(action) || RENAMED.test(action))

export const verbFor = ({ action }: ChangedFile): string => {
  if (ADDED.test(action)) return 'adds'
  if (DELETED.test(action)) return 'deletes'
  return RENAMED.test(action) ? 'renames' : 'changes'
}
