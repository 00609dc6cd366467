import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { ARTIFACT_MAX, ARTIFACT_PIECE_MAX } from '../../contract/limits.ts'
import { filesOf } from './artifacts.ts'
import type { BuildService, Outcome } from './service.ts'

/** Smaller after a proxy refused a piece, or a slow network took too long for it. */
const PIECE_LEAST = 256 * 1024
/** A file is given up after this time without any progress. */
const STUCK_MS = 120_000
/** The service ends a request that takes a minute to arrive. */
const REQUEST_S = 60

interface ArtifactsOf {
  job: string
  number: string
}

interface Uploading {
  service: BuildService
  /** How long to retry when the service does not respond. */
  stuckMs?: number
}

interface Uploaded {
  files: number
  bytes: number
  /** Files that are not stored, and why. */
  refused: string[]
}

/** Uploads every matching file, one after the other, with one piece in memory. */
export async function uploadArtifacts(globs: readonly string[], of: ArtifactsOf, uploading: Uploading): Promise<Uploaded> {
  const done: Uploaded = { files: 0, bytes: 0, refused: [] }
  for (const { name, size_bytes } of filesOf(globs)) {
    const why = await upload(name, size_bytes, of, uploading).catch((error: Error) => error.message)
    if (why !== undefined) done.refused.push(`${name}: ${why}`)
    else {
      done.files++
      done.bytes += size_bytes
    }
  }
  return done
}

/** Returns why it failed. */
async function upload(
  name: string,
  size: number,
  { job, number }: ArtifactsOf,
  { service, stuckMs = STUCK_MS }: Uploading,
): Promise<string | undefined> {
  if (size === 0) return 'The file is empty.'
  if (size > ARTIFACT_MAX) return `The file is too large: at most ${ARTIFACT_MAX / 1e9} GB are allowed.`
  const file = await open(name)
  try {
    const query = { job_name: job, build_number: number, name, upload: randomUUID(), size: String(size) }
    let [offset, piece, wait, until] = [0, ARTIFACT_PIECE_MAX, 250, performance.now() + stuckMs]
    while (offset < size) {
      const bytes = await readFully(file, offset, Math.min(size, offset + piece))
      const outcome = await service.artifact({ ...query, offset: String(offset) }, bytes, REQUEST_S)
      if (outcome.kind === 'never') return outcome.why
      const next = outcome.offset
      if (next !== undefined && next > offset) {
        offset = next
        wait = 250
        until = performance.now() + stuckMs
        continue
      }
      // The former upload was deleted, since it took more than a day.
      if (next !== undefined) offset = next
      if (mayBeTooLong(outcome)) piece = Math.max(PIECE_LEAST, piece / 4)
      const pause = outcome.kind === 'later' && outcome.seconds !== undefined ? outcome.seconds * 1000 : wait
      if (performance.now() + pause >= until) return outcome.kind === 'later' ? outcome.why : 'The service stores nothing.'
      await new Promise((go) => setTimeout(go, pause))
      wait = Math.min(10_000, wait * 2)
    }
    return undefined
  } finally {
    await file.close()
  }
}

const mayBeTooLong = (outcome: Outcome) =>
  outcome.kind === 'later' && !outcome.unknown_build && (outcome.too_large || outcome.seconds === undefined)

async function readFully(file: FileHandle, from: number, until: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(until - from)
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at)
    if (bytesRead === 0) throw new Error('The file became shorter while it was uploaded.')
    at += bytesRead
  }
  return bytes
}
