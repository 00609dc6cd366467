import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { backOff } from '../contract/back-off.ts'
import { queryOf, type SigningKey, signedHeaders } from './aws-signature.ts'
import { type FetchedReply, NoAnswer, safeFetch } from './safe-fetch.ts'

/** A bucket of an S3-compatible store, by its path, and the prefix of our objects. */
export interface ObjectStoreSettings extends SigningKey {
  url: string
}

/** The store refused, or failed. */
class Refused extends Error {
  override readonly name = 'ObjectStoreRefused'
}

const METHODS = ['PUT', 'GET', 'DELETE', 'POST'] as const
type Method = (typeof METHODS)[number]

interface RequestOptions {
  body?: Buffer
  query?: Record<string, string | number>
  headers?: Record<string, string>
  /** Asks this URL instead of the key's. */
  at?: string
  /** Bytes of the response. */
  limit?: number
  timeout: number
  signal?: AbortSignal | undefined
}

/** Reads have a short timeout because somebody waits. */
const READ_MS = 10_000
const WRITE_MS = 60_000
const PART_MS = 300_000
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 200
/** An error of the store, or the few bytes by which compression may make something longer. */
const LITTLE = 64 * 1024
/** A page of a list has at most a thousand keys of a kilobyte. */
const PAGE_BYTES = 4 * 1024 * 1024

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

/** Stores compressed bytes under keys. The URL is the operator's: it may be a private one. */
export function openObjectStore(settings: ObjectStoreSettings, { attempts = ATTEMPTS, readMs = READ_MS } = {}) {
  const root = settings.url.replace(/\/+$/, '')
  // The first part of the path is the bucket, the rest is in front of every key.
  const [, bucket = root, rest = ''] = /^(https?:\/\/[^/]+\/[^/]+)\/?(.*)$/.exec(root) ?? []
  const below = rest === '' ? '' : `${rest}/`
  const outcomes = () => Object.fromEntries(METHODS.map((method) => [method, 0])) as Record<Method, number>
  /** For this process, by operation. */
  const counts = { ok: outcomes(), failed: outcomes(), bytesPut: 0 }

  async function attempt(
    method: Method,
    key: string,
    { body = Buffer.alloc(0), ...asked }: RequestOptions,
  ): Promise<FetchedReply> {
    const url = new URL(`${asked.at ?? `${root}/${key}`}${asked.query ? `?${queryOf(asked.query)}` : ''}`)
    const { host: _, ...headers } = signedHeaders(settings, { method, url, body }, new Date())
    return safeFetch(url.href, () => true, {
      method,
      headers: {
        ...headers,
        ...asked.headers,
        ...(isSent(method) && { 'content-length': String(body.length), 'content-type': TYPES[method] }),
      },
      isOwn: true,
      limit: asked.limit ?? LITTLE,
      timeout: asked.timeout,
      ...(isSent(method) && { body }),
      ...(asked.signal && { signal: asked.signal }),
    })
  }

  /** Retries after a pause if that may help; all operations are idempotent. */
  async function ask(method: Method, key: string, asked: RequestOptions): Promise<FetchedReply> {
    const end = performance.now() + asked.timeout
    for (let tried = 1; ; tried++) {
      const pause = backOff(tried, { first: FIRST_PAUSE_MS, longest: asked.timeout, factor: 4, jitter: 0.5 })
      const isLast = tried === attempts || asked.signal?.aborted || performance.now() + pause > end
      try {
        const reply = await attempt(method, key, { ...asked, timeout: Math.max(1, Math.ceil(end - performance.now())) })
        if (isLast || (reply.status < 500 && reply.status !== 429)) return reply
      } catch (error) {
        if (isLast || !(error instanceof NoAnswer)) throw error
      }
      await sleep(pause, undefined, asked.signal && { signal: asked.signal })
    }
  }

  async function counted<T>(method: Method, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work()
      counts.ok[method]++
      return done
    } catch (error) {
      counts.failed[method]++
      throw error
    }
  }

  const askRange = (key: string, start: number, end: number, timeout: number, signal?: AbortSignal) =>
    ask('GET', key, { headers: { range: `bytes=${start}-${end - 1}` }, limit: end - start + LITTLE, timeout, signal })

  /** Uncompressed, so that ranges can be read. */
  const putBytes = (key: string, body: Buffer, signal?: AbortSignal): Promise<void> =>
    counted('PUT', async () => {
      const reply = await ask('PUT', key, { body, timeout: WRITE_MS, signal })
      // Every store returns an ETag: a response without it comes from a proxy.
      if (reply.status !== 200 || reply.headers.etag === undefined) throw refusal(reply)
      counts.bytesPut += body.length
    })

  return {
    counts,

    put: async (key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> => putBytes(key, await packed(bytes), signal),

    putBytes,

    /** The stored value of the given length; undefined if missing. */
    get: (key: string, length: number): Promise<Buffer | undefined> =>
      counted('GET', async () => {
        const reply = await ask('GET', key, { limit: length + LITTLE, timeout: readMs })
        if (isMissing(reply)) return undefined
        if (reply.status !== 200) throw refusal(reply)
        return unpacked(reply.body, { maxOutputLength: length + 1 })
      }),

    /** Raw bytes from one offset to before another, or to the end. */
    getRange: (key: string, start: number, end: number, signal?: AbortSignal): Promise<Buffer> =>
      counted('GET', async () => {
        const reply = await askRange(key, start, end, PART_MS, signal)
        if (reply.status !== 206) throw refusal(reply)
        return reply.body
      }),

    /** The same while somebody waits; undefined if the object is missing. */
    findRange: (key: string, start: number, end: number): Promise<Buffer | undefined> =>
      counted('GET', async () => {
        const reply = await askRange(key, start, end, readMs)
        if (isMissing(reply)) return undefined
        if (reply.status !== 206) throw refusal(reply)
        return reply.body
      }),

    /** All objects whose key begins with a prefix, in the order of their keys. */
    list: (prefix: string, signal?: AbortSignal): Promise<Listed[]> =>
      counted('GET', async () => {
        const found: Listed[] = []
        let token: string | undefined
        do {
          const query = {
            'list-type': 2,
            prefix: `${below}${prefix}`,
            ...(token !== undefined && { 'continuation-token': token }),
          }
          const reply = await ask('GET', '', { at: bucket, query, limit: PAGE_BYTES, timeout: WRITE_MS, signal })
          const text = reply.body.toString()
          if (reply.status !== 200 || !text.includes('<ListBucketResult')) throw refusal(reply)
          for (const [, entry] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) found.push(listedIn(entry!, below))
          token = text.includes('<IsTruncated>true') ? unescaped(fieldIn(text, 'NextContinuationToken')) : undefined
        } while (token)
        return found
      }),

    /** Starts a multipart upload, each part but the last of 5 MiB or more; invisible before it is completed. */
    beginUpload: (key: string, signal?: AbortSignal): Promise<string> =>
      counted('POST', async () => {
        const reply = await ask('POST', key, { query: { uploads: '' }, timeout: WRITE_MS, signal })
        const id = /<UploadId>([^<]{1,2000})<\/UploadId>/.exec(reply.body.toString())?.[1]
        if (reply.status !== 200 || id === undefined) throw refusal(reply)
        return id
      }),

    /** Returns the ETag of the part. */
    putPart: (key: string, uploadId: string, partNumber: number, body: Buffer, signal?: AbortSignal): Promise<string> =>
      counted('PUT', async () => {
        const reply = await ask('PUT', key, { query: { partNumber, uploadId }, body, timeout: PART_MS, signal })
        if (reply.status !== 200 || reply.headers.etag === undefined) throw refusal(reply)
        counts.bytesPut += body.length
        return String(reply.headers.etag)
      }),

    endUpload: (key: string, uploadId: string, etags: readonly string[], signal?: AbortSignal): Promise<void> =>
      counted('POST', async () => {
        const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
        const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
        const reply = await ask('POST', key, { query: { uploadId }, body, timeout: PART_MS, signal })
        // A store that starts its response before it is done may still fail.
        if (reply.status !== 200 || !reply.body.toString().includes('<CompleteMultipartUploadResult')) throw refusal(reply)
      }),

    /** A missing upload has already ended. */
    cancelUpload: (key: string, uploadId: string): Promise<void> =>
      counted('DELETE', async () => {
        const reply = await ask('DELETE', key, { query: { uploadId }, timeout: WRITE_MS })
        if (reply.status !== 204 && codeIn(reply) !== 'NoSuchUpload') throw refusal(reply)
      }),

    remove: (key: string, signal?: AbortSignal): Promise<void> =>
      counted('DELETE', async () => {
        const reply = await ask('DELETE', key, { timeout: WRITE_MS, signal })
        if (reply.status !== 204 && reply.status !== 200 && !isMissing(reply)) throw refusal(reply)
      }),
  }
}

export type ObjectStore = ReturnType<typeof openObjectStore>

const TYPES = { PUT: 'application/octet-stream', POST: 'application/xml' }
const isSent = (method: Method): method is keyof typeof TYPES => method in TYPES

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** An object in a list. */
interface Listed {
  key: string
  bytes: number
  stored_at: string
}

const fieldIn = (text: string, name: string) => new RegExp(`<${name}>([^<]{0,4000})</${name}>`).exec(text)?.[1] ?? ''

const listedIn = (entry: string, below: string): Listed => ({
  key: unescaped(fieldIn(entry, 'Key')).slice(below.length),
  bytes: Number(fieldIn(entry, 'Size')),
  stored_at: fieldIn(entry, 'LastModified'),
})

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescaped = (text: string) => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name]!)

const codeIn = ({ body }: FetchedReply) => /<Code>(\w{1,60})<\/Code>/.exec(body.toString('latin1'))?.[1]

/** A missing bucket is a wrong setting, not a missing object. */
const isMissing = (reply: FetchedReply) => reply.status === 404 && codeIn(reply) === 'NoSuchKey'

/** Only its code: the rest of a response may repeat what was signed. */
function refusal(reply: FetchedReply): Refused {
  const code = codeIn(reply)
  return new Refused(`The object store answers ${reply.status}${code === undefined ? '' : ` (${code})`}.`)
}
