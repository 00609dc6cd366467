import { createHash, createHmac } from 'node:crypto'

/** Who signs, and for where. */
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

/**
 * The headers of a request to S3, version 4 of the signature among them. The hash of the body is signed too: the store refuses one that
 * changed on its way. The path must hold nothing that is encoded, and there is no query.
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
    '',
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
