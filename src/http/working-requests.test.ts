import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTools, type Tools } from '../../test/support/tools.ts'
import { sql } from '../db/database.ts'
import { buildServer } from './server.ts'

const IDLE_MS = 2_000

let tools: Tools
let app: Awaited<ReturnType<typeof buildServer>>
let site: string
beforeAll(async () => {
  tools = await openTools()
  app = await buildServer(tools.studio.service)
  site = await app.listen({ host: '127.0.0.1', port: 0 })
  app.server.setTimeout(IDLE_MS)
})
afterAll(async () => {
  await app.close()
  await tools.close()
})

const report = '<testsuite name="a"><testcase name="b"/></testsuite>'
const upload = (number: number) => `/webhooks/tests?job_name=Game&build_number=${number}&token=${tools.tokenOf('jenkins')}`

test('an upload is answered however long the work on it takes', async () => {
  let answer: Promise<Response>
  await tools.studio.db.transaction(async (db) => {
    await db.execute(sql`lock table build_runs in exclusive mode`)
    answer = fetch(`${site}${upload(1)}`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: report })
    await Promise.race([answer, sleep(2 * IDLE_MS)])
  })
  expect((await answer!).status).toBe(200)
})

test('a connection that stops in the middle of its upload is closed', async () => {
  const { hostname, port } = new URL(site)
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${upload(2)} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 1000\r\n\r\n${report}`)
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
})

test('a connection whose answer has begun, and stops, is closed', async () => {
  const { status, body } = await fetch(`${site}/api/v1/workspace/events/stream`, {
    headers: { authorization: `Bearer ${tools.studio.world.tokens.all!.token}` },
  })
  expect(status).toBe(200)
  await expect(new Response(body).text()).rejects.toThrow()
})
