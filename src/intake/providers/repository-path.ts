import { Unreachable } from '../../net/safe-fetch.ts'

/** The folders and the name of a file in a repository; refuses what a server could read as another path. */
export function partsOf(path: string): string[] {
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Unreachable('No path of a repository.')
  return parts
}
