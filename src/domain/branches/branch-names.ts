/** One spelling of a branch, as `branch_key` of the database has it: depots are compared without case, names of git with it. */
export const branchKey = (branch: string): string =>
  branch.startsWith('//')
    ? branch
        .replace(/\/(?:\.\.\.|\*)$/, '')
        .replace(/\/+$/, '')
        .toLowerCase()
    : branch.replace(/^(?:refs\/heads\/|refs\/remotes\/origin\/|origin\/)/, '')

/**
 * Whether a pattern matches a branch, given by its key: `//Game/*`, `//game/rel-*`, `//game/...`, `release/*`, `**`. A star matches any text,
 * slashes included. Case matters for git branches, and not for depots.
 */
export function matchesBranch(pattern: string, branch: string): boolean {
  const written = pattern.trim()
  if (!branch.startsWith('//')) return matchesPattern(branchKey(written), branch)
  const depot = written.toLowerCase().replace(/\/+$/, '').replaceAll('...', '*')
  // `//game/main/...` also matches the stream itself.
  return matchesPattern(depot, branch) || (depot.startsWith('//') && depot.replace(/\/\*+$/, '') === branch)
}

/** A star matches any text. */
export const matchesPattern = (pattern: string, name: string): boolean => matcherOf(pattern)(name)

/** The same for many names. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const [head = '', ...parts] = pattern.split('*')
  const tail = parts.pop()
  return (name) => {
    if (tail === undefined) return name === head
    if (!name.startsWith(head)) return false
    let at = head.length
    for (const part of parts) {
      const found = name.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return name.endsWith(tail) && name.length - tail.length >= at
  }
}
