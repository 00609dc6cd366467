import type { Breakage } from './health-shapes.ts'

/** What a breakage is called: the line that shows it, else what was found. The folders are on its page. */
export const titleOf = ({ evidence, cause, jobs }: Pick<Breakage, 'evidence' | 'cause' | 'jobs'>): string =>
  shortTitle(firstLine(evidence[0]?.text ?? '') || firstLine(cause) || `${jobs.join(', ')} failed`)

/** Its first line, without the folders in it. */
export const shortTitle = (text: string) => withoutFolders(firstLine(text))

const firstLine = (text: string) => text.trim().split('\n', 1)[0]!.trimEnd()

/** From the root, two or more deep; addresses are left as they are. */
const FOLDERS = /(?<![\w:/\\])(?:[A-Za-z]:)?[\\/](?:[^\\/\s:"'()]+[\\/]){2,}/g
const withoutFolders = (line: string) => line.replace(FOLDERS, '')
