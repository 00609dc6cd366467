import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectHttp } from '../../test/support/callers/assistant.ts'
import { listen } from '../../test/support/callers/listening.ts'
import { signIn } from '../../test/support/callers/visitor.ts'
import { fixtures, openSamples, sendAll } from '../../test/support/files/samples.ts'
import { openReceiver } from '../../test/support/servers/receiver.ts'
import type { Studio } from '../../test/support/studio.ts'
import { everyAnswer } from '../../test/support/studios/every-record.ts'
import { leaksIn, marked, markedSample } from '../../test/support/studios/marked.ts'
import { until } from '../../test/support/until.ts'
import { ownRoutes } from '../contract/app/routes.ts'
import { isOwn } from '../contract/fields.ts'
import type { Route } from '../contract/routes/route.ts'
import { sql } from '../db/database.ts'
import { eventOf } from '../domain/feed/events.ts'
import { sequence } from '../domain/feed/sequencer.ts'
import * as webhooks from '../domain/webhooks/webhooks.ts'
import { startSender } from '../jobs/sending/sender.ts'
import { allowedHosts } from '../net/addresses.ts'
import { scrubbedLog } from '../service/scrubbed-log.ts'

/** Marked addresses and credentials in every text from tools and files; none of them in any output. */

let studio: Studio
let project: number
let account: number
let token: string
let logged = ''
let delivered: Awaited<ReturnType<typeof sendAll>>

const PASSWORD = 'a password for tests'
const note = new Writable({
  write(chunk, _, done) {
    logged += String(chunk)
    done()
  },
})

const many = <T>(make: (i: number) => T) => Array.from({ length: 60 }, (_, i) => make(i))
/** Every text of a world file that stands for a tool's report. */
const told = () => ({
  changes: many((i) => ({
    project,
    identifier: marked(`change ${i}`),
    author: marked('Kim'),
    description: marked('Paint'),
    files: [{ path: marked('Art/'), action: marked('edit', 100) }],
  })),
  build_runs: many((i) => ({
    project,
    status: 'failed',
    ci_job_name: marked('night'),
    build_number: marked(String(i)),
    commit_hash: marked('c'),
    changelist: marked('l'),
    branch: marked('main'),
    phase: marked('cook'),
    output_log: `${marked('start')}\n${marked('error: cook failed')}`,
    artifacts: [{ name: marked('Game.zip'), url: marked('https://ci.example/Game.zip') }],
  })),
  assets: many((i) => ({
    project,
    name: marked('T_Rock'),
    path: marked(`Art/${i}`),
    approvals: [
      { stage: marked('review', 100), type: marked('manual', 100), commit_sha: marked('sha'), comments: marked('fine') },
    ],
  })),
  deployments: many(() => ({
    project,
    branch: marked('main'),
    version: marked('1.0'),
    external_id: marked('480'),
    external_build_id: marked('9'),
  })),
})

beforeAll(async () => {
  studio = await openSamples({
    service: { log: pino({ level: 'trace' }, scrubbedLog({ write: (line) => note.write(line), flush() {} })) },
    password: PASSWORD,
  })
  project = studio.world.projects!.star!.id as number
  account = studio.world.accounts!.owl!.id as number
  token = studio.world.tokens!.all!.token as string
  delivered = await sendAll(studio, fixtures().map(markedSample))
  await studio.load(told())
  const steps = many((i) => marked(`step ${i}`))
  await studio.db.execute(sql`
    insert into build_steps (account_id, build_run_id, name, status, detail)
    select account_id, id, s, 'failed', s from build_runs, unnest(${steps}::text[]) s where id = (select max(id) from build_runs)`)
})
afterAll(() => studio.close())

test('the rows contain the marks', async () => {
  const rows = await studio.db.rows<{ text: string }>(sql`
    select author || description as text from changes union all select output_log from build_runs where output_log is not null`)
  expect(rows.filter(({ text }) => leaksIn(text).length > 0).length).toBeGreaterThan(80)
})

describe('no mark is sent', () => {
  test('in the reply to a webhook', () => {
    // A handshake returns its sender's challenge unchanged.
    expect(delivered.flatMap(({ text, json }) => (json?.challenge ? [] : leaksIn(text)))).toEqual([])
  })

  test('by any route of the REST API', async () => {
    const { text, records } = await everyAnswer(studio, project, token)
    expect(records).toBeGreaterThan(200)
    expect(leaksIn(text)).toEqual([])
  })

  test('by a decision, or an error that quotes the request', async () => {
    const [asset] = (await studio.ask(`/api/v1/projects/${project}/assets?limit=1`, { token })).json.assets
    for (let i = 0; i < 60; i++) {
      const decided = await studio.ask(`/api/v1/projects/${project}/assets/${asset.id}/approvals`, {
        token,
        method: 'POST',
        body: { status: 'approved', comments: marked('fine'), stage: marked('art', 100) },
      })
      expect(leaksIn(decided.text)).toEqual([])
      const refused = await studio.ask(`/api/v1/projects/${project}/tasks?${encodeURIComponent(marked('x'))}=1`, { token })
      expect(refused.status).toBe(422)
      expect(leaksIn(refused.text)).toEqual([])
    }
  })

  test('by any web app route that shows reported data', async () => {
    const app = await signIn(studio, 'kim@owl.example', PASSWORD)
    const texts: string[] = []
    const places: Record<string, number | string> = { account_id: account, project_id: project }
    const read = async (path: string) => {
      const answer = await app.app(path.replace('/v1', ''))
      expect(answer.status, path).toBe(200)
      texts.push(answer.text)
      return answer.json
    }
    const routes = Object.entries(ownRoutes as Record<string, Route>).filter(
      ([, { method, role, reply }]) => method === 'GET' && role !== 'anyone' && role !== 'operator' && !isOwn(reply),
    )
    for (const [, { path }] of routes) {
      const known = path.replace(/:(\w+_id)\b/g, (_, name) => String(places[name] ?? `:${name}`))
      if (!known.includes(':') && !known.includes('authorizations')) await read(known)
    }
    for (const word of ['night', 'Paint', 'T_Rock', '1.0']) await read(`/v1/search?q=${word}`)
    const { deliveries } = await read(`/v1/projects/${project}/deliveries?limit=50`)
    for (const { id } of deliveries) await read(`/v1/projects/${project}/deliveries/${id}`)
    const [deployment] = (await app.app(`/projects/${project}/deployments`)).json.deployments
    await read(`/v1/projects/${project}/deployments/${deployment.id}/changes`)
    expect(texts.flatMap(leaksIn)).toEqual([])
  })

  test('by the tools of an assistant', async () => {
    const assistant = await connectHttp(studio.site, token)
    const { tools } = await assistant.client.listTools()
    const [build] = (await studio.ask(`/api/v1/projects/${project}/build_runs?limit=1`, { token })).json.build_runs
    for (const { name, inputSchema } of tools) {
      if (!/^(list|show|read|ping)/.test(name)) continue
      const known: Record<string, unknown> = { project_id: String(project), build_run_id: build.id }
      const args = Object.fromEntries((inputSchema.required ?? []).map((field) => [field, known[field]]))
      if (Object.values(args).includes(undefined)) continue
      expect(leaksIn((await assistant.call(name, args)).text), name).toEqual([])
    }
    await assistant.client.close()
  })

  test("by the stream, or to a subscriber's webhook", async () => {
    await sequence(studio.db)
    const stream = await listen({ site: studio.site, token, lastId: 0 })
    await stream.until(50)
    stream.stop()
    expect(leaksIn(JSON.stringify(stream.events))).toEqual([])
    const receiver = await openReceiver()
    const { id } = await webhooks.create(studio.db, studio.service.vault, { account_id: account, url: receiver.url })
    await studio.db.execute(sql`update destinations set position = 0 where id = ${id}`)
    // A message that was queued before texts were scrubbed.
    const event = eventOf(
      'task.state_changed',
      { at: new Date(0).toISOString(), project_id: project, project_name: 'Starfall' },
      FACTS,
    )
    const payload = { type: event.event_type, timestamp: event.timestamp, data: { ...event, message: 'by leak@marked.example' } }
    await studio.db.execute(sql`insert into messages (account_id, destination_id, event_id, position, event_type, payload)
      values (${account}, ${id}, 'msg_1', 1000000, ${event.event_type}, ${JSON.stringify(payload)}::json)`)
    const sender = startSender({
      db: studio.db,
      vault: studio.service.vault,
      log: studio.service.log,
      allowed: allowedHosts(['127.0.0.1']),
      site: 'https://gold.example',
    })
    try {
      await until(
        async () => receiver.received.some(({ body }) => body.data.message === 'by leak') && receiver.received.length > 50,
      )
    } finally {
      await sender.stop()
      await receiver.close()
    }
    expect(leaksIn(JSON.stringify(receiver.received.map(({ body }) => body)))).toEqual([])
  })

  test('to our own log', async () => {
    studio.service.log.warn({ error: marked('connect'), err: new Error(marked('failed')) }, marked('no answer'))
    for (let i = 0; i < 120; i++) studio.service.log.info({ text: marked('told') }, 'told')
    expect(logged.split('\n').length).toBeGreaterThan(120)
    expect(leaksIn(logged)).toEqual([])
  })
})

const FACTS = { id: '1', state: 'to_do', title: 'x', assignee_handle: null, assignee: null, creator: null } as const

test('a filter finds what a reply showed', async () => {
  const ask = async (path: string) => (await studio.ask(`/api/v1/projects/${project}/${path}`, { token })).json
  for (const { identifier } of (await ask('changes?limit=50')).changes)
    expect((await ask(`changes?identifier=${encodeURIComponent(identifier)}`)).changes.length, identifier).toBeGreaterThan(0)
  for (const { approval_stage, commit_sha } of (await ask('approvals?limit=50')).approvals) {
    expect((await ask(`approvals?stage=${encodeURIComponent(approval_stage)}`)).approvals.length, approval_stage).toBeGreaterThan(
      0,
    )
    if (commit_sha)
      expect((await ask(`approvals?commit_sha=${encodeURIComponent(commit_sha)}`)).approvals.length, commit_sha).toBeGreaterThan(
        0,
      )
  }
})
