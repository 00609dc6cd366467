import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openLocalServer } from './local-server.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../src/intake/providers/jenkins/fixtures/rest')
// biome-ignore lint/suspicious/noExplicitAny: a fixture of the tool's own shape
export const jenkinsFixture = (name: string): any => JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'))

type Answer = (request: IncomingMessage, reply: ServerResponse) => void

export interface FakeJenkins {
  url: string
  /** `METHOD path`, in order. */
  calls: string[]
  headers: IncomingMessage['headers'][]
  bodies: string[]
  /** By path without query; the first match is used. */
  answers: Record<string, Answer>
  close(): void
}

/** A Jenkins that returns what a test sets. */
export async function openJenkins(port = 0): Promise<FakeJenkins> {
  const jenkins: Omit<FakeJenkins, 'url'> = { calls: [], headers: [], bodies: [], answers: {}, close: () => {} }
  const { url, close } = await openLocalServer(
    (request, reply) => {
      const path = request.url!.split('?', 1)[0]!
      jenkins.calls.push(`${request.method} ${request.url}`)
      jenkins.headers.push(request.headers)
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        jenkins.bodies.push(Buffer.concat(chunks).toString())
        const answer = jenkins.answers[path]
        if (answer) answer(request, reply)
        else reply.writeHead(404).end('<html>not here</html>')
      })
    },
    { port },
  )
  return Object.assign(jenkins, { url, close })
}

export const json =
  (value: () => unknown): Answer =>
  (_, reply) =>
    reply.writeHead(200, { 'content-type': 'application/json;charset=utf-8' }).end(JSON.stringify(value()))

/** A console as Jenkins serves it: from an offset on, compressed if long, its size in a header; `start` beyond the end starts over. */
export const progressive =
  (state: () => { log: Buffer | undefined; running: boolean }): Answer =>
  (request, reply) => {
    const { log, running } = state()
    const more = running ? { 'x-more-data': 'true' } : {}
    if (log === undefined) return void reply.writeHead(200, { 'x-text-size': '0', 'x-more-data': 'true' }).end()
    const asked = Number(new URL(request.url!, 'http://x').searchParams.get('start'))
    const start = asked > log.length ? 0 : asked
    // While it runs only complete lines are returned, 10,000 at most.
    let end = log.length
    if (running) {
      end = start
      for (let lines = 0; lines < 10_000; lines++) {
        const next = log.indexOf('\n', end)
        if (next === -1) break
        end = next + 1
      }
    }
    const body = log.subarray(start, end)
    const packed = body.length > 4096 && /gzip/.test(String(request.headers['accept-encoding']))
    const head = { 'content-type': 'text/plain;charset=UTF-8', 'x-text-size': String(end), ...more }
    reply.writeHead(200, packed ? { ...head, 'content-encoding': 'gzip' } : head).end(packed ? gzipSync(body) : body)
  }
