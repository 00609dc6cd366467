/** A line with simplified folders in its paths, and how to restore the original. */
export interface PlainLine {
  text: string
  /** The original text of a part. */
  restore(part: string): string
}

/** The start of a path: a drive, a share, the root, this folder or a parent. Look-alikes in URLs do not count. */
const ROOT = /(?<![A-Za-z])[A-Za-z]:[\\/]|\\\\(?=[\w.?-]+\\)|(?<![\w.~:/\\)\]}-])\.{0,2}\/(?=[^\s/])/g

/** One folder and its separator. It may contain a space or a bracket, but a word after a dash is an option. */
const FOLDER = /(?:[^\\/:*?"<>|'`=,;\s()]| (?![-\s\\/|&+])|\((?=[^()\s\\/]{1,20}\))|(?<=[^()\s\\/])\))+[\\/]+/y

/** What may follow a folder with spaces: a file with an extension or a line number, otherwise it may be prose. */
const FILE = /[^\\/:*?"<>|'`=,;\s()]+(?:(?<=\.\w{1,12})(?!\w)|(?=[:(]\d))/y

/** Prose between two paths: `a.cpp into b.cpp`. */
const PROSE = / (?:and|or|to|in|into|from|with|at|on|is|as|of|for|was|by|not|the) /

const PLAIN = /^[\w.@+~/-]*$/
/** Patterns stop at paths of a few hundred characters. */
const LONG = 120
const KEPT = 3
/** No tool prints longer paths. */
const LONGEST = 1000

/** Index after the last folder of the path that starts here. */
function endOfFolders(line: string, root: number, start: number): number {
  let end = start
  let blanks = false
  while (end - root < LONGEST) {
    FOLDER.lastIndex = end
    const folder = FOLDER.exec(line)?.[0]
    if (folder === undefined || PROSE.test(folder)) break
    blanks ||= folder.includes(' ')
    end += folder.length
  }
  if (!blanks) return end
  FILE.lastIndex = end
  return FILE.test(line) ? end : start
}

const written = (folder: string) => folder.replace(/[^\w.@+~-]/g, '_')

function plainly(folders: string): string {
  const parts = folders
    .replace(/^[A-Za-z]:/, '')
    .split(/[\\/]+/)
    .map(written)
  return folders.length > LONG ? `/${parts.slice(-KEPT - 1).join('/')}` : parts.join('/')
}

/**
 * Simplifies every folder for simple patterns: without drive, spaces, brackets and non-ASCII letters, and not too long. Rules then need not
 * handle the location of workspaces.
 */
export function plainPaths(line: string): PlainLine | null {
  const folds: [plain: string, printed: string][] = []
  let text = ''
  let copied = 0
  ROOT.lastIndex = 0
  for (let root = ROOT.exec(line); root; root = ROOT.exec(line)) {
    const end = endOfFolders(line, root.index, ROOT.lastIndex)
    const folders = line.slice(root.index, end)
    ROOT.lastIndex = Math.max(end, ROOT.lastIndex)
    if (folders.length <= LONG && PLAIN.test(folders)) continue
    const plain = plainly(folders)
    text += line.slice(copied, root.index) + plain
    copied = end
    folds.push([plain, folders])
  }
  if (folds.length === 0) return null
  return {
    text: text + line.slice(copied),
    restore: (part) => folds.reduce((restored, [plain, printed]) => restored.replace(plain, () => printed), part),
  }
}
