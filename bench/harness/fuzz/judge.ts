import { Agent, request as open } from 'node:http'
import type { FuzzRequest } from './requests.ts'

export interface FuzzAnswer {
  status: number
  type: string
  id: string
  text: string
  ms: number
}

const PATIENCE_MS = 30_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One response, read to its end; a stream has none and is closed after its headers. */
export const send = (port: number, asked: FuzzRequest): Promise<FuzzAnswer> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const { method, path, headers, body } = asked
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const request = open(
      { agent, port, host: '127.0.0.1', method, path, headers: { ...headers, ...(bytes && { 'content-length': bytes.length }) } },
      (response) => {
        const type = response.headers['content-type'] ?? ''
        const answer = (text: string) =>
          resolve({
            status: response.statusCode!,
            type,
            id: String(response.headers['x-request-id'] ?? ''),
            text,
            ms: performance.now() - began,
          })
        if (type.startsWith('text/event-stream')) {
          answer('')
          return response.destroy()
        }
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => answer(Buffer.concat(chunks).toString()))
        response.on('error', reject)
      },
    )
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(bytes)
  })

/** The problem of a response; undefined if there is none. */
export function wrongWith({ method, path }: FuzzRequest, { status, type, text }: FuzzAnswer): string | undefined {
  if (status >= 500) return `answers ${status}`
  if (status < 400 || method === 'HEAD') return undefined
  if (status === 401 && text === '') return undefined
  if (!type.startsWith('application/json')) return `answers ${status} as ${type || 'nothing'}`
  return isDocumented(path, text) ? undefined : `answers ${status} in words of its own`
}

function isDocumented(path: string, text: string): boolean {
  try {
    const { error, message, upgrade_url } = JSON.parse(text) as Record<string, unknown>
    if (path.startsWith('/mcp') && typeof error === 'object') return true
    return typeof error === 'string' && (typeof message === 'string' || typeof upgrade_url === 'string') && text.length < 10_000
  } catch {
    return false
  }
}
