import { fits } from './branch-names.ts'

/** A stream as the server tells it: its own path, the one whose files it shows, and what it takes in from elsewhere. */
export interface Stream {
  path: string
  /** For a virtual one: the stream that its files lie in. */
  parent?: string
  /** Depot paths of others that are part of it. */
  imports?: string[]
}

/** Where to look for the streams of a depot's files, the first of these that says anything. */
export interface StreamSettings {
  /** As the operator wrote them: `//game/main`, `//game/rel-*`. */
  prefixes?: string[]
  /** As the server told them. */
  streams?: Stream[]
}

const plain = (path: string) => path.toLowerCase().replace(/\/(?:\.\.\.|\*)?$/, '')
const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`)

/** The streams that files of a changelist belong to, in the order in which they are first met. */
export function streamsOf(paths: readonly string[], { prefixes = [], streams = [] }: StreamSettings): string[] {
  const find = prefixes.length > 0 ? byPrefix(prefixes) : streams.length > 0 ? byStream(streams) : byDepth
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
      folders.length > pattern.length && pattern.every((name, at) => fits(name, folders[at]!))
    return longest(patterns.filter(isMeant).map(({ length }) => folders.slice(0, length).join('/')))
  }
}

/** The longest stream that holds the file, and every stream that shows or imports it. */
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
