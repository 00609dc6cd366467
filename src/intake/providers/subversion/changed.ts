import type { ChangedFile } from '../../facts.ts'
import { linesOf, list, text } from '../../reading.ts'

interface Changed {
  /** Null if nothing was reported. */
  files: ChangedFile[] | null
  /** Empty if the paths are of several branches, or of none. */
  branch: string
  /** Branches whose whole folder was deleted. */
  deleted: string[]
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['A', 'add'],
  ['U', 'edit'],
  ['D', 'delete'],
])

/** The lines of `svnlook changed`, with or without `--copy-info`: four columns and a path. Folders end in a slash. */
export function changedIn(told: unknown): Changed {
  const lines = typeof told === 'string' ? linesOf(told) : list(told)
  const items = lines.flatMap((line) => itemOf(text(line)))
  const alive = items.filter(({ isWholeBranch, action }) => !(isWholeBranch && action === 'delete'))
  // The folders above the branches are of none.
  const branches = new Set(alive.flatMap(({ branch, isFolder }) => (branch === '' && isFolder ? [] : [branch])))
  const [branch = ''] = branches.size === 1 ? branches : []
  const deleted = items.flatMap((item) => (item.isWholeBranch && item.action === 'delete' ? [item.branch] : []))
  const files = items.flatMap(({ path, rest, action, isFolder }) =>
    // Without an action only properties changed.
    isFolder || action === undefined ? [] : [{ path: branch === '' ? path : rest, action }],
  )
  return { files: items.length === 0 && !Array.isArray(told) ? null : files, branch, deleted: [...new Set(deleted)] }
}

interface Item {
  action: string | undefined
  path: string
  isFolder: boolean
  isWholeBranch: boolean
  branch: string
  /** Below the branch. */
  rest: string
}

const LINE = /^([AUD_])[U ][+ ] (.*)$/s
const BRANCH = /^((?:[^/]+\/){0,20}?(?:trunk|branches\/[^/]+))\/(.*)$/s

/** The source of a copy, on a line of its own, is no item. */
function itemOf(line: string | undefined): Item[] {
  const [, letter, path = ''] = LINE.exec(line ?? '') ?? []
  if (letter === undefined || path === '') return []
  const [, branch = '', rest = path] = BRANCH.exec(path) ?? []
  return [
    {
      action: ACTIONS.get(letter),
      path,
      isFolder: path.endsWith('/'),
      isWholeBranch: branch !== '' && rest === '',
      branch,
      rest,
    },
  ]
}
