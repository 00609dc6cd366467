import { cutPrefixes } from './line-prefixes.ts'

/** Longer lines are no entries of a list. */
const LINE_MAX = 2_000

/** A line of `UnrealPak -List`. */
const PAK_FILE = /^LogPakFile: Display: "(?<path>[^"]{1,500})" offset: \d+, size: (?<size>\d+) bytes/

/** The heading of the file that `UnrealPak -List=… -csv=…` writes for containers. Newer engines have more columns. */
const CHUNKS_HEADING = 'OrderInContainer, ChunkId, PackageId, '

/** Files that the engine makes of one asset. */
const ASSET_FILE = /\.(?:uasset|umap|uexp|ubulk|uptnl)$/

/**
 * The assets in the lists of pak files and containers that a log prints. The chunks of a package are one asset, and so are a pak's files
 * of one asset. An entry that is listed again counts once.
 */
export function readUnrealSizes(log: string): [path: string, bytes: number][] {
  const entries = new Map<string, { path: string; bytes: number }>()
  for (const line of linesWith(log, '" offset: ')) {
    const { path, size } = PAK_FILE.exec(line)?.groups ?? {}
    if (path !== undefined) entries.set(path, { path: path.replace(ASSET_FILE, ''), bytes: Number(size) })
  }
  for (let at = log.indexOf(CHUNKS_HEADING); at >= 0; at = log.indexOf(CHUNKS_HEADING, at + 1)) readChunks(log, at, entries)
  const assets = new Map<string, number>()
  for (const { path, bytes } of entries.values()) assets.set(path, (assets.get(path) ?? 0) + bytes)
  return [...assets]
}

function readChunks(log: string, heading: number, entries: Map<string, { path: string; bytes: number }>) {
  let columns: string[] | undefined
  for (const line of linesFrom(log, log.lastIndexOf('\n', heading) + 1)) {
    const cells = line.split(',').map((cell) => cell.trim())
    columns ??= cells
    if (cells.length !== columns.length) return
    const named = (name: string) => cells[columns!.indexOf(name)] ?? ''
    const [path, size] = [named('PackageName') || named('Filename'), named('CompressedSize')]
    // The heading itself has no number; a chunk of a container without names cannot be compared.
    if (path && /^\d+$/.test(size)) entries.set(`${named('ContainerName')} ${named('ChunkId')}`, { path, bytes: Number(size) })
  }
}

function* linesWith(log: string, literal: string): Generator<string> {
  for (let at = log.indexOf(literal); at >= 0; ) {
    const end = log.indexOf('\n', at)
    yield bare(log.slice(log.lastIndexOf('\n', at) + 1, end < 0 ? log.length : end))
    at = end < 0 ? -1 : log.indexOf(literal, end)
  }
}

function* linesFrom(log: string, from: number): Generator<string> {
  for (let start = from; start < log.length; ) {
    const end = log.indexOf('\n', start)
    yield bare(log.slice(start, end < 0 ? log.length : end))
    start = end < 0 ? log.length : end + 1
  }
}

const bare = (line: string) => cutPrefixes(line.slice(0, LINE_MAX).trimEnd()).line
