import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { openObjectStore } from '../../../src/net/object-store.ts'
import { openLocalServer } from './local-server.ts'

/** The state of the store: normal, unreachable, silent, breaking off in the middle of a response, or refusing with a status. */
type Mood = 'good' | 'away' | 'silent' | 'breaks off' | number

const KEY = { region: 'eu-central-1', accessKey: 'AKIDTEST', secretKey: 'a secret/of+tests' }

/**
 * An S3 server for one bucket, which checks the version 4 signature independently: from the received request, as Amazon's documentation
 * describes it.
 */
export async function openObjectStoreServer() {
  const objects = new Map<string, Buffer>()
  /** Unfinished multipart uploads, by their id. */
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>()
  const asked: string[] = []
  let [mood, lasting]: [Mood, number] = ['good', 0]
  /** Called for each request, before the response. */
  let onAsked: (method: string, key: string) => Promise<void> | void = () => {}

  const moodNow = (): Mood => {
    const now = mood
    if (now !== 'good' && --lasting === 0) mood = 'good'
    return now
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = await bytesOf(request)
    const mood = moodNow()
    const { method = '', url = '' } = request
    const [path = '', search = ''] = url.split('?')
    const key = /^\/bucket\/some\/prefix\/(.+)$/.exec(path)?.[1]
    if (mood === 'away') return request.socket.destroy()
    if (mood === 'silent') return
    if (typeof mood === 'number') return refuse(response, mood, mood === 503 ? 'SlowDown' : 'InternalError')
    const wrong = wrongIn(request, body)
    if (wrong !== undefined) return refuse(response, 403, wrong)
    if (method === 'GET' && path === '/bucket') return answerList(new URLSearchParams(search), response)
    if (key === undefined) return refuse(response, 404, 'NoSuchBucket')
    asked.push(`${method} ${key}`)
    if (search !== '') return answerUpload(method, key, new URLSearchParams(search), body, response)
    const held = objects.get(key)
    if (method === 'PUT') objects.set(key, body)
    if (method === 'DELETE') objects.delete(key)
    await onAsked(method, key)
    if (method === 'PUT') return response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`).end()
    if (method === 'DELETE') return response.writeHead(204).end()
    if (held === undefined) return refuse(response, 404, 'NoSuchKey')
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (start !== undefined) return response.writeHead(206).end(held.subarray(Number(start), Number(end) + 1))
    response.setHeader('content-length', held.length)
    if (mood === 'good') return response.end(held)
    response.write(held.subarray(0, held.length / 2))
    return setImmediate(() => request.socket.destroy())
  }

  /** Two keys a page: callers have to go on. */
  function answerList(query: URLSearchParams, response: ServerResponse) {
    const prefix = query.get('prefix') ?? ''
    asked.push(`LIST ${prefix}`)
    const keys = [...objects.keys()]
      .map((key) => `some/prefix/${key}`)
      .filter((key) => key.startsWith(prefix))
      .sort()
    const rest = keys.slice(Number(query.get('continuation-token')?.slice('next&'.length) ?? 0))
    const shown = rest.slice(0, 2).map((key) => {
      const size = objects.get(key.slice('some/prefix/'.length))!.length
      return `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>${size}</Size></Contents>`
    })
    const next = rest.length > 2 ? `<NextContinuationToken>next&amp;${keys.length - rest.length + 2}</NextContinuationToken>` : ''
    response.end(`<ListBucketResult><IsTruncated>${rest.length > 2}</IsTruncated>${shown.join('')}${next}</ListBucketResult>`)
  }

  async function answerUpload(method: string, key: string, query: URLSearchParams, body: Buffer, response: ServerResponse) {
    const id = query.get('uploadId') ?? ''
    await onAsked(method, `${key}?${[...query.keys()].join('&')}`)
    if (method === 'POST' && query.has('uploads')) {
      const begun = `up/load+${uploads.size + 1}~=`
      uploads.set(begun, { key, parts: new Map() })
      return response.end(`<InitiateMultipartUploadResult><UploadId>${begun}</UploadId></InitiateMultipartUploadResult>`)
    }
    const upload = uploads.get(id)
    if (upload?.key !== key) return refuse(response, 404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body)
      return response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`).end()
    }
    uploads.delete(id)
    if (method === 'DELETE') return response.writeHead(204).end()
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w{32})&quot;<\/ETag>/g)]
    const parts = named.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number))!
      return createHash('md5').update(part).digest('hex') === etag ? part : undefined
    })
    if (parts.length === 0 || parts.includes(undefined)) return refuse(response, 400, 'InvalidPart')
    // All but the last part have five megabytes or more.
    if (parts.slice(0, -1).some((part) => part!.length < 5 * 1024 * 1024)) return refuse(response, 400, 'EntityTooSmall')
    objects.set(key, Buffer.concat(parts as Buffer[]))
    return response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')
  }

  const { url: site, close } = await openLocalServer((request, response) => void answer(request, response))
  const url = `${site}/bucket/some/prefix`
  return {
    settings: { ...KEY, url },
    /** A client of it; without retries where a test waits for the failure. */
    client: (more: { secretKey?: string } = {}, how: { attempts?: number; readMs?: number } = {}) =>
      openObjectStore({ ...KEY, url, ...more }, how),
    objects,
    uploads,
    asked,
    /** For this many requests. */
    become(next: Mood, times = Number.POSITIVE_INFINITY) {
      ;[mood, lasting] = [next, times]
    },
    whenAsked(listener: typeof onAsked) {
      onAsked = listener
    },
    close,
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const refuse = (response: ServerResponse, status: number, code: string) =>
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><SignatureProvided>${KEY.secretKey}</SignatureProvided></Error>`)

const hex = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const mac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text, 'utf8').digest()

/** The error code, if the request is not signed correctly. */
function wrongIn({ method, url, headers }: IncomingMessage, body: Buffer): string | undefined {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/
  const [, accessKey, day, region, names, signature] = said.exec(headers.authorization ?? '') ?? []
  if (accessKey !== KEY.accessKey) return 'InvalidAccessKeyId'
  if (region !== KEY.region) return 'AuthorizationHeaderMalformed'
  const date = String(headers['x-amz-date'])
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 15 * 60_000) || !date.startsWith(day!)) return 'RequestTimeTooSkewed'
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names!.split(';').includes(name))) return 'AccessDenied'
  if (headers['x-amz-content-sha256'] !== hex(body)) return 'XAmzContentSHA256Mismatch'
  const lines = names!.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const [path = '', query = ''] = (url ?? '').split('?')
  const sorted = query.split('&').sort().join('&')
  const canonical = `${method}\n${path}\n${sorted}\n${lines.join('')}\n${names}\n${hex(body)}`
  const toSign = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/s3/aws4_request\n${hex(canonical)}`
  const key = mac(mac(mac(mac(`AWS4${KEY.secretKey}`, day!), region!), 's3'), 'aws4_request')
  return mac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
