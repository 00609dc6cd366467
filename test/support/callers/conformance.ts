import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
}

/** Runs every scenario of a protocol revision for servers; returns the results of its checks. */
export async function runSuite(suite: string, url: string, revision: string, folder: string): Promise<Map<string, Check[]>> {
  const [command, ...words] = suite.split(' ')
  const child = spawn(command!, [...words, 'server', '--url', url, '--requirements', revision, '-o', folder], { stdio: 'ignore' })
  await once(child, 'close')
  return new Map(
    readdirSync(folder).map((name) => [
      /^server-(.*?)-\d{4}-\d\d-\d\dT/.exec(name)![1]!,
      JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
    ]),
  )
}

/** The suite's own names, and their counterparts here. */
export interface Fixtures {
  /** By the name of a tool or prompt, or the URI of a resource. */
  [name: string]: { name: string; arguments?: object } | { uri: string }
}

/** The suite knows neither tokens nor our names: a proxy adds the one and translates the others. */
export async function translate(port: number, site: string, token: string, fixtures: () => Fixtures) {
  const server = createServer(async (asked, answer) => {
    const parts: Buffer[] = []
    for await (const part of asked as AsyncIterable<Buffer>) parts.push(part)
    const { body, named } = translated(Buffer.concat(parts).toString('utf8'), fixtures())
    const headers = { ...asked.headers, authorization: `Bearer ${token}`, 'content-length': String(Buffer.byteLength(body)) }
    if (named !== undefined && 'mcp-name' in headers) headers['mcp-name'] = named
    const onward = request(new URL(asked.url!, site), { method: asked.method!, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    onward.end(body)
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')
  return server
}

function translated(text: string, fixtures: Fixtures): { body: string; named?: string } {
  const params = paramsOf(text)
  const fixture = fixtures[params?.name ?? params?.uri ?? '']
  if (!params || !fixture) return { body: text }
  const message = JSON.parse(text)
  return {
    body: JSON.stringify({ ...message, params: { ...message.params, ...fixture } }),
    named: 'name' in fixture ? fixture.name : fixture.uri,
  }
}

function paramsOf(text: string): { name?: string; uri?: string } | undefined {
  try {
    return JSON.parse(text).params
  } catch {
    return undefined
  }
}
