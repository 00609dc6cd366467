/** Where the files of a repository are shown, as far as that is known. */
export interface Repository {
  /** An address with {path} and {line}; empty where nobody told it. */
  file_url: string
  /** Its top folders. */
  roots: readonly string[]
}

/** The path of a file below the repository, of one below some folder of a build machine; nothing where that cannot be told. */
export function repositoryPath(path: string, { roots }: Repository): string | undefined {
  const parts = path.replaceAll('\\', '/').split('/')
  const known = new Map(roots.map((root) => [root.toLowerCase(), root]))
  const top = parts.findIndex((part) => known.has(part.toLowerCase()))
  // A file alone stands in no folder that is known.
  if (top === -1 || top === parts.length - 1 || parts.includes('..')) return undefined
  // Some compilers write names in small letters.
  return [known.get(parts[top]!.toLowerCase())!, ...parts.slice(top + 1)].join('/')
}

/** The page of a line of a file. */
export function fileAddress(path: string, line: number, repository: Repository): string | undefined {
  const below = repositoryPath(path, repository)
  if (below === undefined || !/^https?:\/\//.test(repository.file_url)) return undefined
  return repository.file_url
    .replace('{path}', () => below.split('/').map(encodeURIComponent).join('/'))
    .replace('{line}', String(line))
}
