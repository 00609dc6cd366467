import type { ChangedFile } from '../facts.ts'
import { at, type Json, list, text } from '../reading.ts'

/** What pushes of all git servers have in common. */

const NOTHING = /^0+$/

/** Forty zeros mean no commit. */
export const commitOf = (told: unknown): string | undefined => {
  const commit = text(told)
  return commit === undefined || isNothing(commit) ? undefined : commit
}

export const isNothing = (told: unknown): boolean => NOTHING.test(text(told) ?? '')

/** Tags and notes are not branches. */
export const pushedBranch = (ref: string): string | undefined =>
  ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : ref.startsWith('refs/') ? undefined : ref

/** Sets what each change follows, oldest first; `before` is the head before the push, if the list starts right after it. */
export function chain<T extends { identifier: string; follows?: string }>(changes: Iterable<T>, before: string | undefined) {
  let last = before
  for (const change of changes) {
    if (last !== undefined) change.follows = last
    last = change.identifier
  }
}

const ACTIONS = [
  ['added', 'add'],
  ['modified', 'edit'],
  ['removed', 'delete'],
] as const

/** Null if the commit has no file lists. */
export function filesOf(commit: Json): ChangedFile[] | null {
  if (!ACTIONS.some(([name]) => Array.isArray(at(commit, name)))) return null
  // Plain loops: a full push has hundreds of thousands of paths.
  const files: ChangedFile[] = []
  for (const [name, action] of ACTIONS) {
    for (const item of list(at(commit, name))) {
      const path = text(item)
      if (path !== undefined) files.push({ path, action })
    }
  }
  return files
}
