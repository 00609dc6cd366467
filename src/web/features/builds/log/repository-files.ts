/** The URLs of a repository's files, if known. */
export interface Repository {
  /** A URL with {path} and {line}; empty if unknown. */
  file_url: string
  /** Its top folders. */
  roots: readonly string[]
}

/** The path in the repository of a file on a build machine; undefined if it can't be determined. */
export function repositoryPath(path: string, { roots }: Repository): string | undefined {
  const parts = path.replaceAll('\\', '/').split('/')
  const known = new Map(roots.map((root) => [root.toLowerCase(), root]))
  const top = parts.findIndex((part) => known.has(part.toLowerCase()))
  // A file name alone is in no known folder.
  if (top === -1 || top === parts.length - 1 || parts.includes('..')) return undefined
  // Some compilers print names in lower case.
  return [known.get(parts[top]!.toLowerCase())!, ...parts.slice(top + 1)].join('/')
}

/** The page of a line in a file. */
export function fileAddress(path: string, line: number, repository: Repository): string | undefined {
  const below = repositoryPath(path, repository)
  if (below === undefined || !/^https?:\/\//.test(repository.file_url)) return undefined
  return repository.file_url
    .replace('{path}', () => below.split('/').map(encodeURIComponent).join('/'))
    .replace('{line}', String(line))
}
