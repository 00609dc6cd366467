import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { Phases } from './phases.ts'
import { Reporter } from './reporter.ts'
import { Mask } from './secrets.ts'
import { BuildService } from './service.ts'
import { Spool } from './spool.ts'
import { Tail } from './tail.ts'

let minutes = 0.9
/** Every request for the log, with its time and content. */
const pieces: [minutes: number, text: string][] = []
let reports = 0
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url!.startsWith('/webhooks/ci/log')) pieces.push([minutes, gunzipSync(Buffer.concat(chunks)).toString()])
  else reports++
  response.setHeader('content-type', 'application/json').end('{"status":"processed"}')
})
const folder = mkdtempSync(join(tmpdir(), 'goldmaster-reporter-'))
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

test('a silent build sends a heartbeat after a minute, not before', async () => {
  const service = new BuildService(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'a-token')
  const phases = new Phases(
    undefined,
    () => '',
    () => {},
  )
  const reporter = new Reporter({
    service,
    spool: new Spool({ GOLDMASTER_SPOOL: folder }, service.site, 'a-token'),
    facts: { job: 'quiet', number: '1' },
    build_type: undefined,
    tail: new Tail(),
    phases,
    mask: new Mask([]),
    elapsed: () => minutes * 60_000,
    at: () => '2026-11-01T09:00:00.000Z',
    say: () => {},
  })
  reporter.start()
  await until(() => reports > 0)
  minutes = 1.1
  await until(() => pieces.length > 0)
  await reporter.finish({ status: 'SUCCESS', artifacts: [], interrupted: false })
  expect(pieces).toEqual([[1.1, '']])
})
