import type { AppReply } from '../../../contract/app/routes.ts'
import type { ImportPart } from '../../../contract/sets.ts'

type Import = Pick<AppReply<'listImports'>['imports'][number], 'counts' | 'expected'>

/**
 * How much of a part is read, and of how much; undefined if the tool didn't say. Files are requested once for every change that the import
 * added. A tool may have got more records since it counted them.
 */
export function progressOf({ counts, expected }: Import, part: ImportPart): { read: number; all: number | undefined } {
  const read = counts[part]?.read ?? 0
  const all = part === 'files' ? counts.changes?.added : expected[part]
  return { read, all: all === undefined ? undefined : Math.max(all, read) }
}
