import { IDENTIFIER_MAX } from '../../contract/limits.ts'

const STREAM_OR_BELOW = /^\/\/[^/]+\/[^/]/

/** The stored path of a stream or a project in it: `//Game/Main/...` is `//game/main`. Undefined for anything else. */
export function depotPath(text: string): string | undefined {
  const path = text
    .toLowerCase()
    .replace(/\/+(?:\.\.\.)?$/, '')
    .replace(/(?<=[^/])\/+/g, '/')
  return STREAM_OR_BELOW.test(path) && Buffer.byteLength(path) <= IDENTIFIER_MAX ? path : undefined
}

/**
 * The path and its parents, down to two folders. Metadata of a path applies to everything below: clients take the first two folders for the
 * stream, which may have more.
 */
export function pathsAbove(path: string): string[] {
  const folders = path.split('/')
  return folders.slice(3).map((_, at) => folders.slice(0, at + 4).join('/'))
}
