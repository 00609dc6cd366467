import { matchesPattern } from './branch-names.ts'

/** A stream as the server reports it: its own path, the stream whose files it shows, and its imports. */
export interface Stream {
  path: string
  /** For a virtual stream: the stream that contains its files. */
  parent?: string
  /** Depot paths of other streams that are part of it. */
  imports?: string[]
}

/** How to find the streams of a depot's files: the first of these that is set. */
export interface StreamSettings {
  /** As the operator wrote them: `//game/main`, `//game/rel-*`. */
  prefixes?: string[]
  /** As the server listed them. */
  streams?: Stream[]
  /** Only streams of the list count, even if it is empty. */
  isListed?: boolean
}

const plain = (path: string) => path.toLowerCase().replace(/\/(?:\.\.\.|\*)?$/, '')
const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`)

/** The streams of the files of a changelist, in order of first appearance. */
export function streamsOf(paths: readonly string[], { prefixes = [], streams = [], isListed = false }: StreamSettings): string[] {
  const find = prefixes.length > 0 ? byPrefix(prefixes) : isListed || streams.length > 0 ? byStream(streams) : byDepth
  return [...new Set(paths.flatMap((path) => find(path.toLowerCase())))]
}

/** A star matches any part of a folder's name: `//game/*` gives each folder below it a stream. */
const byPrefix = (prefixes: readonly string[]) => {
  const patterns = prefixes.map((prefix) =>
    prefix
      .trim()
      .toLowerCase()
      .replace(/\/(?:\.\.\.)?$/, '')
      .split('/'),
  )
  return (path: string) => {
    const folders = path.split('/')
    const isMeant = (pattern: readonly string[]) =>
      folders.length > pattern.length && pattern.every((name, at) => matchesPattern(name, folders[at]!))
    return longest(patterns.filter(isMeant).map(({ length }) => folders.slice(0, length).join('/')))
  }
}

/** The longest stream that contains the file, and every stream that shows or imports it. */
const byStream = (streams: readonly Stream[]) => {
  const own = streams.map(({ path }) => plain(path))
  return (path: string) => {
    const home = longest(own.filter((stream) => isBelow(path, stream)))
    const seen = streams.flatMap(({ path: stream, parent, imports = [] }) =>
      (parent !== undefined && home.includes(plain(parent))) || imports.some((folder) => isBelow(path, plain(folder)))
        ? [plain(stream)]
        : [],
    )
    return [...new Set([...home, ...seen])]
  }
}

const byDepth = (path: string) => /^\/\/[^/]+\/[^/]+(?=\/)/.exec(path)?.slice(0, 1) ?? []

const longest = (names: readonly string[]) => names.toSorted((a, b) => b.length - a.length).slice(0, 1)
