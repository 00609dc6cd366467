import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openObjectStoreServer } from '../../test/support/servers/object-store.ts'
import { signedHeaders } from './aws-signature.ts'

let server: Awaited<ReturnType<typeof openObjectStoreServer>>
beforeAll(async () => {
  server = await openObjectStoreServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.become('good')
  server.whenAsked(() => {})
})

const BYTES = Buffer.from('error: it broke 🎮\n'.repeat(3_000))

test('the example of the Amazon S3 documentation gets the documented signature', () => {
  const key = { region: 'us-east-1', accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
  const asked = { method: 'GET', url, headers: { range: 'bytes=0-9' }, body: Buffer.alloc(0) }
  expect(signedHeaders(key, asked, new Date('2013-05-24T00:00:00Z')).authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})

test('a stored value is compressed, read unchanged, and gone once it is removed', async () => {
  const store = server.client()
  await store.put('1/a.gz', BYTES)
  expect(gunzipSync(server.objects.get('1/a.gz')!).equals(BYTES)).toBe(true)
  expect((await store.get('1/a.gz', BYTES.length))?.equals(BYTES)).toBe(true)
  await store.remove('1/a.gz')
  await store.remove('1/a.gz')
  expect(await store.get('1/a.gz', BYTES.length)).toBeUndefined()
  expect(store.counts).toMatchObject({ ok: { PUT: 1, GET: 2, DELETE: 2 }, failed: { PUT: 0, GET: 0, DELETE: 0 } })
})

test('the objects below a prefix are listed page by page, and no others', async () => {
  const store = server.client()
  const names = ['list/a', 'list/b&c', 'list/deep/d', 'list/e', 'lists/f']
  for (const name of names) await store.put(name, BYTES)
  const listed = await store.list('list/')
  expect(listed.map(({ key }) => key)).toEqual(names.slice(0, -1))
  expect(listed[0]).toEqual({
    key: 'list/a',
    bytes: server.objects.get('list/a')!.length,
    stored_at: expect.stringMatching(/^2026/),
  })
  expect(await store.list('nothing/')).toEqual([])
  server.become(403, 1)
  await expect(store.list('list/')).rejects.toThrow('The object store answers 403')
})

test('no more than the stored length is read', async () => {
  const store = server.client()
  await store.put('1/long.gz', BYTES)
  await expect(store.get('1/long.gz', BYTES.length - 1_000)).rejects.toThrow()
})

test.each([500, 503, 'away', 'breaks off'] as const)('a store that is %s for a moment is retried', async (mood) => {
  const store = server.client()
  await store.put('1/b.gz', BYTES)
  server.become(mood, 1)
  expect((await store.get('1/b.gz', BYTES.length))?.equals(BYTES)).toBe(true)
})

test('a wrong key is refused at once, and the error contains no secret', async () => {
  const store = server.client({ secretKey: 'another' })
  const error: Error = await store.put('1/c.gz', BYTES).catch((error) => error)
  expect(error.message).toBe('The object store answers 403 (SignatureDoesNotMatch).')
  expect(server.asked.filter((asked) => asked.includes('1/c.gz'))).toEqual([])
  expect(store.counts.failed.PUT).toBe(1)
})

test('a store that stays unreachable or silent is given up', async () => {
  const store = server.client({}, { attempts: 2, readMs: 300 })
  for (const mood of ['away', 'silent', 500] as const) {
    server.become(mood)
    await expect(store.get('1/b.gz', BYTES.length)).rejects.toThrow()
  }
})
