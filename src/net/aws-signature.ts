import { createHash, createHmac } from 'node:crypto'

/** The signer and the target. */
export interface SigningKey {
  region: string
  accessKey: string
  secretKey: string
}

interface Signed {
  method: string
  url: URL
  headers?: Record<string, string>
  body: Buffer
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

/** In the order and encoding that are signed. */
export const queryOf = (parts: Record<string, string | number>): string =>
  Object.entries(parts)
    .map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`)
    .sort()
    .join('&')
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * The headers of a request to S3, including the version 4 signature. The hash of the body is signed too: the store refuses a body that was
 * changed in transit. The path must contain nothing encoded, and the query only what `queryOf` made.
 */
export function signedHeaders(
  { region, accessKey, secretKey }: SigningKey,
  { method, url, headers: more = {}, body }: Signed,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const headers: Record<string, string> = { ...more, host: url.host, 'x-amz-content-sha256': sha256(body), 'x-amz-date': time }
  const names = Object.keys(headers).sort()
  const request = [
    method,
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ]
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(request.join('\n'))].join('\n')).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...headers, authorization }
}
