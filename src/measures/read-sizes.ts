import { cutPrefixes } from './line-prefixes.ts'
import { readUnrealSizes } from './unreal-sizes.ts'

/** An asset of a build and its size. */
export type AssetSize = [path: string, bytes: number]

/** More than anybody compares. */
export const SIZES_MAX = 50

const UNITS: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** ` 5.9 mb`, a tab, its percentage, the path, which may contain blanks. */
const ASSET = /^\s*(?<size>\d+(?:\.\d+)?) (?<unit>b|kb|mb|gb)\t\s*\d+(?:\.\d+)?% (?<path>\S.{0,499})$/

const HEADING = 'Used Assets'

/** The largest assets, largest first: of the last size list of Unity's build report, otherwise of Unreal's pak files and containers. */
export function readSizes(log: string): AssetSize[] {
  let found: AssetSize[] = []
  for (let at = log.indexOf(HEADING); at >= 0; at = log.indexOf(HEADING, at + 1)) {
    const sizes = listAfter(log, at)
    if (sizes.length > 0) found = sizes
  }
  if (found.length > 0) return found
  return readUnrealSizes(log)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SIZES_MAX)
}

function listAfter(log: string, heading: number): AssetSize[] {
  const sizes: AssetSize[] = []
  let start = log.indexOf('\n', heading) + 1
  while (start > 0 && start < log.length && sizes.length < SIZES_MAX) {
    const end = log.indexOf('\n', start)
    const { line } = cutPrefixes(
      log
        .slice(start, end < 0 ? log.length : end)
        .slice(0, 700)
        .trimEnd(),
    )
    const { size, unit, path } = ASSET.exec(line)?.groups ?? {}
    if (path === undefined) break
    sizes.push([path, Math.round(Number(size) * UNITS[unit!]!)])
    start = end < 0 ? log.length : end + 1
  }
  return sizes
}
