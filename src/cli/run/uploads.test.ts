import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openLocalServer } from '../../../test/support/servers/local-server.ts'
import { ARTIFACT_PIECE_MAX } from '../../contract/limits.ts'
import { BuildService } from './service.ts'
import { uploadArtifacts } from './uploads.ts'

const folder = mkdtempSync(join(tmpdir(), 'uploads-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Answer = { status: number; body: object; headers?: Record<string, string> } | 'hang up'

/** Uploads a file to a server with the given answers; returns what the server stored. */
async function upload(
  bytes: Buffer,
  answer: (count: number, piece: { offset: number; bytes: Buffer }) => Answer | undefined,
  stuckMs = 600_000,
) {
  const file = join(folder, 'Game.zip')
  writeFileSync(file, bytes)
  let [stored, count] = [Buffer.alloc(0), 0]
  const sizes: number[] = []
  const server = await openLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const piece = { offset: Number(new URL(request.url!, 'http://x').searchParams.get('offset')), bytes: Buffer.concat(chunks) }
    sizes.push(piece.bytes.length)
    const given = answer(++count, piece)
    if (given === 'hang up') return void request.socket.destroy()
    if (!given && piece.offset === stored.length) stored = Buffer.concat([stored, piece.bytes])
    const { status, body, headers } = given ?? { status: 200, body: { status: 'uploading', offset: stored.length } }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  const done = await uploadArtifacts(
    [file],
    { job: 'Game', number: '1' },
    { service: new BuildService(server.url, 'a-token'), stuckMs },
  )
  await server.close()
  return { done, stored, sizes }
}

test('a piece is repeated when the connection breaks, the service is away or asks to wait', async () => {
  const bytes = randomBytes(ARTIFACT_PIECE_MAX + 5)
  const { done, stored } = await upload(bytes, (count) =>
    count === 1
      ? 'hang up'
      : count === 2
        ? { status: 502, body: {} }
        : count === 4
          ? { status: 429, body: {}, headers: { 'retry-after': '0' } }
          : undefined,
  )
  expect(done).toMatchObject({ files: 1, bytes: bytes.length, refused: [] })
  expect(stored.equals(bytes)).toBe(true)
})

test('pieces become smaller for a proxy that accepts no large ones', async () => {
  const bytes = randomBytes(3_000_000)
  const { done, stored, sizes } = await upload(bytes, (_, piece) =>
    piece.bytes.length > 1_000_000 ? { status: 413, body: {} } : undefined,
  )
  expect(done).toMatchObject({ files: 1, refused: [] })
  expect(stored.equals(bytes)).toBe(true)
  expect(sizes[0]).toBe(3_000_000)
  expect(Math.max(...sizes.slice(-3))).toBeLessThanOrEqual(1_000_000)
})

test('an upload continues where the service says that it is', async () => {
  const bytes = randomBytes(ARTIFACT_PIECE_MAX + 5)
  const { done, stored } = await upload(bytes, (count) =>
    count === 2 ? { status: 409, body: { error: 'artifact_gap', offset: ARTIFACT_PIECE_MAX } } : undefined,
  )
  expect([done.refused, stored.equals(bytes)]).toEqual([[], true])
})

test('a refusal for good ends the upload with its reason', async () => {
  const { done, sizes } = await upload(randomBytes(5), () => ({
    status: 422,
    body: { error: 'quota_exceeded', message: 'Full.' },
  }))
  expect(sizes).toHaveLength(1)
  expect(done).toMatchObject({ files: 0, refused: [expect.stringMatching(/Game\.zip: http.* answered 422: Full\./)] })
})

test('a service that stays away is given up, and so is one that stores nothing', async () => {
  const { done } = await upload(randomBytes(5), () => ({ status: 503, body: {} }), 600)
  expect(done.refused).toEqual([expect.stringContaining('answered 503')])
  const { done: lost } = await upload(randomBytes(5), () => ({ status: 200, body: { offset: 0 } }), 600)
  expect(lost.refused).toEqual([expect.stringContaining('stores nothing')])
})

test('a file that becomes shorter meanwhile is not uploaded', async () => {
  const { done } = await upload(randomBytes(ARTIFACT_PIECE_MAX + 5), (count) => {
    if (count === 1) truncateSync(join(folder, 'Game.zip'), 100)
    return undefined
  })
  expect(done.refused).toEqual([expect.stringContaining('became shorter')])
})

test('an empty file is not uploaded', async () => {
  const { done, sizes } = await upload(Buffer.alloc(0), () => undefined)
  expect([done.refused, sizes]).toEqual([[expect.stringContaining('empty')], []])
})
