import type { Places } from '../../provider.ts'
import { text } from '../../reading.ts'
import { isDepotPath } from './depot-path.ts'
import { depotPaths } from './history.ts'

const listed = (setting: unknown) => (text(setting) ?? '').split(/[,\n]/).flatMap((path) => path.trim() || [])

/** A name in a path against one with stars, in linear time. */
function isNamed(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  if (others.length === 0) return name === pattern
  const last = others.pop()!
  let from = first.length
  for (const part of others) {
    const found = name.indexOf(part, from)
    if (found === -1) return false
    from = found + part.length
  }
  return name.startsWith(first) && name.endsWith(last) && name.length - last.length >= from
}

/** A path below `//game/main`, `//game/rel-*` or `//game/main/...`. */
function covers(entry: string, path: string): boolean {
  const above = entry.replace(/\/(?:\.\.\.|\*)$/, '').split('/')
  const names = path.split('/')
  return above.length <= names.length && above.length > 2 && above.every((pattern, index) => isNamed(names[index]!, pattern))
}

/** Of a file: its path in the depot. */
export const places: Places = {
  noun: 'depot paths',
  example: '//game/main, or //game/rel-*',
  inSettings: ({ branches, ...config }) => [...listed(branches).filter((path) => path.startsWith('//')), ...depotPaths(config)],
  of: ({ path }) => (path !== undefined && isDepotPath(path) ? path : undefined),
  spelled: (path) => path.trim().replace(/(?:\/+|\/?\.\.\.)$/, ''),
  covers,
  // Its depot and stream, or its depot.
  outline: (path) =>
    path
      .split('/')
      .slice(0, path.split('/').length > 4 ? 4 : 3)
      .join('/'),
}
