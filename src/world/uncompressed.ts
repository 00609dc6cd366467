import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

type Chunk = Buffer | string

/** A file as it is, or decompressed if it starts like gzip. */
export async function* uncompressed(input: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  const chunks = input[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const rest = chain(first.value, chunks)
  if (typeof first.value === 'string' || first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* rest
  // Errors are thrown where it is read.
  yield* pipeline(Readable.from(rest), createGunzip(), () => {})
}

async function* chain(first: Chunk, chunks: AsyncIterator<Chunk>): AsyncGenerator<Chunk> {
  yield first
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}
