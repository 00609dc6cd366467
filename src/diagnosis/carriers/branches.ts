import { isBlankText } from '../log.ts'
/** Lines of one branch in order, as indexes of the log. */
export interface Branch {
  name: string
  lines: number[]
}

/**
 * Splits the output of parallel branches, so that each is read separately; null if they run one after the other, like the steps of a job.
 * Lines of no branch come first.
 */
export function splitBranches(texts: readonly string[], names: readonly string[]): Branch[] | null {
  const branches = new Map<string, Branch>([['', { name: '', lines: [] }]])
  let changes = 0
  let last: string | undefined
  names.forEach((branch, index) => {
    const home = branches.get(branch) ?? { name: branch, lines: [] }
    branches.set(branch, home)
    home.lines.push(index)
    if (branch === '' || isBlankText(texts[index]!)) return
    if (last !== branch) changes++
    last = branch
  })
  const named = branches.size - 1
  return named > 1 && changes > 2 * named ? [...branches.values()].filter(({ lines }) => lines.length > 0) : null
}
