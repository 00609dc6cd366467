import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { moveTimes } from '../../../test/support/aging.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runInvestigation } from '../../../test/support/run-investigation.ts'
import { openObjectStoreServer } from '../../../test/support/servers/object-store.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { type ObjectStore, openDatabase, type Pool, sql } from '../../db/database.ts'
import { startMovingObjects } from '../../jobs/object-moving.ts'
import { exportWorld } from '../../world/export.ts'
import { deleteAccount, deleteProject } from '../accounts/deletion.ts'
import { move, removeUnused } from '../retention/move-to-objects.ts'
import { purge } from '../retention/retention.ts'
import { recall } from './recall.ts'

let server: Awaited<ReturnType<typeof openObjectStoreServer>>
let own: TestDatabase
let db: Pool
let store: ObjectStore
let tools: Tools
let lead: Visitor
let account: number
beforeAll(async () => {
  server = await openObjectStoreServer()
  own = await createDatabase()
  store = server.client({}, { attempts: 1 })
  db = openDatabase(own.url, { max: 8, statementTimeout: 60_000, connectTimeout: 60_000, objects: store })
  tools = await openTools({ beside: own, service: { db } })
  lead = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
  account = tools.studio.world.accounts.owl!.id
  await db.execute(sql`update accounts set plan = 'enterprise', credits = null where id = ${account}`)
})
afterAll(async () => {
  await tools.close()
  await db.close()
  await own.drop()
  server.close()
})
beforeEach(() => {
  server.become('good')
  server.asked.length = 0
})

const GRUMBLE = 'tools/bake.c:7:1: error: no display, lighting is skipped'
const CAUSE = 'src/combat.c:54:3: error: expected expression'
/** Multi-byte characters without repetition, in the requested size. */
const noise = (lines: number) => Array.from({ length: lines }, (_, i) => `[${i}] läuft 🎮 ${(i * 7919) % 10_007}\n`).join('')

/** Reported by a CI; the delivery is about as large as the log, which is stored only with the build. */
async function build(number: string, status: 'FAILURE' | 'SUCCESS', log: string): Promise<{ delivery: number; id: number }> {
  const { status: code, json } = await tools.ci({
    job_name: 'night',
    build_number: number,
    status,
    branch: 'main',
    log,
    notes: `~${log}`,
  })
  expect(code).toBe(200)
  const { id } = (await db.one<{ id: number }>(
    sql`select id from build_runs where ci_job_name = 'night' and build_number = ${number}`,
  ))!
  return { delivery: Number(json.delivery_id), id }
}

/** Makes all data old enough to be moved. */
async function age() {
  await moveTimes(db, 'deliveries', ['received_at'], sql`interval '-2 hours'`)
  await moveTimes(db, 'build_runs', ['created_at', 'finished_at', 'updated_at'], sql`interval '-2 hours'`)
}
const moveAll = (into: ObjectStore = store) => move(db, into, account, { atOnce: 2, limit: 50 })
/** A minute later. */
const removeAll = async () => {
  await moveTimes(db, 'stored_objects', ['remove_after'], sql`interval '-1 minute'`, sql`t.remove_after <= now()`)
  return removeUnused(db, store, account, { limit: 1_000 })
}

const pageOf = (delivery: number) => `/projects/${tools.project}/deliveries/${delivery}`
const logPath = (id: number) => `build_runs/${id}/log`
const readLog = async (id: number) =>
  tools.studio.ask(`/api/v1/projects/${tools.project}/${logPath(id)}`, { token: tools.studio.world.tokens.all!.token })
async function exported(from: Pool = db) {
  let text = ''
  await exportWorld(from, { account_id: account }, { vault: tools.studio.service.vault, audience: 'operator' }, async (part) => {
    text += part
  })
  return text
}
const objectsIn = (table: 'deliveries' | 'build_runs') =>
  db.rows<{ id: number; object: string }>(
    table === 'deliveries'
      ? sql`select id, body_object as object from deliveries where body_object is not null and body is null`
      : sql`select id, log_object as object from build_runs where log_object is not null and output_log is null`,
  )

/** What each reader returns for a build and its delivery. */
async function readers({ delivery, id }: { delivery: number; id: number }) {
  return {
    page: (await lead.app(pageOf(delivery))).json,
    command: await admin({ db, vault: tools.studio.service.vault }, 'deliveries', 'show', String(delivery), '--json'),
    log: (await readLog(id)).text,
    tail: (
      await tools.studio.ask(`/api/v1/projects/${tools.project}/${logPath(id)}?tail=2`, {
        token: tools.studio.world.tokens.all!.token,
      })
    ).text,
    viewer: (await lead.app(`/projects/${tools.project}/build_runs/${id}/log/rest`)).json,
    export: await exported(),
  }
}

describe('moving to object storage', () => {
  let green: { delivery: number; id: number }
  let red: { delivery: number; id: number }
  let short: { delivery: number; id: number }
  let pushed: number
  beforeAll(async () => {
    green = await build('1', 'SUCCESS', `${GRUMBLE}\n${noise(1_000)}`)
    red = await build('2', 'FAILURE', `${GRUMBLE}\n${noise(3_000)}${CAUSE}\n`)
    short = await build('3', 'FAILURE', `${CAUSE}\n`)
    const { json } = await tools.github(push([commit('c'.repeat(40), { message: noise(700) })]))
    pushed = Number(json.delivery_id)
  })

  test('leaves new values in the database', async () => {
    expect(await moveAll()).toBe(0)
    expect(server.asked).toEqual([])
  })

  test('stores large old values under their account, and every reader returns them unchanged', async () => {
    await age()
    const before = [await readers(green), await readers(red), await lead.app(pageOf(pushed))]
    expect(await moveAll()).toBe(5)
    expect((await objectsIn('deliveries')).map(({ id }) => id).toSorted()).toEqual(
      [green.delivery, red.delivery, pushed].toSorted(),
    )
    expect((await objectsIn('build_runs')).map(({ id }) => id).toSorted()).toEqual([green.id, red.id].toSorted())
    expect([...server.objects.keys()].every((key) => key.startsWith(`${account}/`))).toBe(true)
    expect(server.objects.size).toBe(5)
    const after = [await readers(green), await readers(red), await lead.app(pageOf(pushed))]
    expect(after.map((answer) => ({ ...answer, headers: null }))).toEqual(before.map((answer) => ({ ...answer, headers: null })))
    expect((before[1] as { log: string }).log).toContain('läuft 🎮')
    expect(await moveAll()).toBe(0)
  })

  test('keeps the log of a build readable', async () => {
    const query = new URLSearchParams({ job_name: 'night', build_number: '2', offset: '0', token: tools.tokenOf('jenkins') })
    const late = { method: 'POST', raw: 'late', headers: { 'content-type': 'text/plain' } }
    expect(await tools.studio.ask(`/webhooks/ci/log?${query}`, late)).toMatchObject({ status: 409, json: { error: 'log_taken' } })
  })

  test('keeps deliveries replayable, large or not', async () => {
    for (const delivery of [red.delivery, pushed])
      expect(await lead.app(`${pageOf(delivery)}/replay`, { method: 'POST' })).toMatchObject({
        status: 200,
        json: { status: 'processed' },
      })
  })

  test('a log that is reported again replaces the previous one, which is removed before the same value is moved again', async () => {
    const log = `${GRUMBLE}\n${noise(3_000)}${CAUSE}\n`
    await tools.ci({ job_name: 'night', build_number: '2', status: 'FAILURE', branch: 'main', log })
    expect((await objectsIn('build_runs')).map(({ id }) => id)).toEqual([green.id])
    await age()
    await moveAll()
    expect((await objectsIn('build_runs')).map(({ id }) => id)).toEqual([green.id])
    expect(await removeAll()).toBe(1)
    await moveAll()
    expect((await objectsIn('build_runs')).map(({ id }) => id).toSorted()).toEqual([green.id, red.id].toSorted())
  })

  test('investigations read moved logs, also the passed ones they are compared with', async () => {
    const asked = { token: tools.studio.world.tokens.all!.token, method: 'POST' }
    const path = `/api/v1/projects/${tools.project}/build_runs/${red.id}/investigate`
    const { json } = await tools.studio.ask(path, asked)
    await runInvestigation(db, json.investigation_id)
    const found = await tools.api(`build_runs/${red.id}`)
    expect(found.investigation).toMatchObject({ status: 'completed', evidence: [{ line: 3_002 }] })
    // The log is identified by its hash, wherever it is stored: the same one is not investigated twice.
    const same = { json: { investigation_id: json.investigation_id } }
    expect(await tools.studio.ask(path, asked)).toMatchObject(same)
    await recall(
      db,
      account,
      () => true,
      () => {},
    )
    expect(await objectsIn('build_runs')).toEqual([])
    expect(await tools.studio.ask(path, asked)).toMatchObject(same)
    await removeAll()
    await moveAll()
  })

  test.each(['away', 403, 500] as const)('a store that is %s only fails reads of moved values', async (mood) => {
    server.become(mood)
    const away = { status: 503, json: { error: 'object_store_away' } }
    expect(await readLog(red.id)).toMatchObject(away)
    expect((await readLog(red.id)).headers.get('retry-after')).toBe('5')
    expect(await lead.app(pageOf(red.delivery))).toMatchObject(away)
    expect(await lead.app(`${pageOf(pushed)}/replay`, { method: 'POST' })).toMatchObject(away)
    await expect(exported()).rejects.toThrow('object store')
    await expect(exported(own.db)).rejects.toThrow('object store')
    expect((await readLog(short.id)).text).toContain(CAUSE)
    expect((await lead.app(`/projects/${tools.project}/deliveries`)).status).toBe(200)
    await build(`away ${mood}`, 'FAILURE', noise(1_000))
    server.become('good')
    expect((await readLog(red.id)).text).toContain(CAUSE)
  })

  test('an investigation waits for an unavailable store', async () => {
    const { id } = (await db.one<{ id: number }>(sql`
      insert into investigations (account_id, build_run_id, status) values (${account}, ${red.id}, 'pending') returning id`))!
    server.become('away')
    await expect(runInvestigation(db, id)).rejects.toThrow('object store')
    server.become('good')
    await runInvestigation(db, id)
    expect(await db.one(sql`select status from investigations where id = ${id}`)).toEqual({ status: 'completed' })
  })

  test('an object of another account cannot be read, whatever a row says', async () => {
    const [, key] = /^(.+)\.gz$/.exec([...server.objects.keys()][0]!.split('/')[1]!)!
    const giveTo = async (owner: number) => {
      const { bytes, sha256 } = (await db.one<{ bytes: number; sha256: Buffer }>(sql`
        delete from stored_objects where id = ${key!} returning bytes, sha256`))!
      await db.execute(sql`
        insert into stored_objects (id, account_id, bytes, sha256, remove_after) values (${key!}, ${owner}, ${bytes}, ${sha256}, null)`)
    }
    await giveTo(account + 1)
    const holder = (await objectsIn('deliveries')).find(({ object }) => object === key)
    const answer = holder
      ? await lead.app(pageOf(holder.id))
      : await readLog((await objectsIn('build_runs')).find(({ object }) => object === key)!.id)
    expect(answer).toMatchObject({ status: 410, json: { error: 'object_lost' } })
    expect(server.asked).toEqual([])
    await giveTo(account)
  })

  test('a lost object is reported as lost and does not block an export of the rest', async () => {
    const { object } = (await objectsIn('build_runs')).find(({ id }) => id === green.id)!
    const bytes = server.objects.get(`${account}/${object}.gz`)!
    server.objects.delete(`${account}/${object}.gz`)
    expect(await readLog(green.id)).toMatchObject({ status: 410, json: { error: 'object_lost' } })
    expect(await exported()).toContain(CAUSE)
    server.objects.set(`${account}/${object}.gz`, bytes)
  })

  test('later output is appended and moved with the rest, and the former object is removed', async () => {
    const name = { job_name: 'streamed', build_number: '1' }
    const [first, more] = [noise(900), `${noise(800)}the end\n`]
    const send = async (offset: number, raw: string) => {
      const query = new URLSearchParams({ ...name, offset: String(offset), token: tools.tokenOf('jenkins') })
      const { json } = await tools.studio.ask(`/webhooks/ci/log?${query}`, {
        method: 'POST',
        raw,
        headers: { 'content-type': 'text/plain' },
      })
      return json.offset as number
    }
    const { json } = await tools.ci({ ...name, status: 'STARTED' })
    const id = json.records[0].id as number
    const end = await send(0, first)
    await tools.ci({ ...name, status: 'FAILURE' })
    await age()
    await moveAll()
    const { object } = (await objectsIn('build_runs')).find((row) => row.id === id)!
    server.become('away')
    await send(end, more)
    server.become('good')
    expect((await readLog(id)).text).toBe(first + more)
    await age()
    await moveAll()
    expect((await readLog(id)).text).toBe(first + more)
    expect((await objectsIn('build_runs')).some((row) => row.id === id)).toBe(true)
    // A reader that has just read the row still finds it.
    await removeUnused(db, store, account, { limit: 1_000 })
    expect(server.objects.has(`${account}/${object}.gz`)).toBe(true)
    await removeAll()
    expect(server.objects.has(`${account}/${object}.gz`)).toBe(false)
  })

  test('a newly reported log replaces it', async () => {
    await build('1', 'SUCCESS', 'quiet\n')
    expect((await readLog(green.id)).text).toBe('quiet\n')
    await removeAll()
    expect(server.objects.size).toBe((await objectsIn('deliveries')).length + (await objectsIn('build_runs')).length)
  })
})

describe('a killed move', () => {
  const killing: ObjectStore = {
    ...({} as ObjectStore),
    put: async (key, bytes) => {
      await store.put(key, bytes)
      throw new Error('killed')
    },
  }

  test('between the upload and the row update uploads again under the same key', async () => {
    const { delivery, id } = await build('killed', 'SUCCESS', noise(2_000))
    const log = (await readLog(id)).text
    await age()
    await expect(moveAll(killing)).rejects.toThrow('killed')
    const first = [...server.asked]
    expect((await db.one<{ body: Buffer | null }>(sql`select body from deliveries where id = ${delivery}`))!.body).not.toBeNull()
    await moveAll()
    expect(server.asked.filter((asked) => first.includes(asked)).length).toBe(2 * first.length)
    expect((await readLog(id)).text).toBe(log)
    expect(await db.rows(sql`select from stored_objects where remove_after is not null`)).toEqual([])
  })

  test('whose row was deleted meanwhile removes the upload', async () => {
    const { delivery } = await build('killed twice', 'SUCCESS', noise(2_000))
    await age()
    const before = new Set(server.objects.keys())
    await expect(moveAll(killing)).rejects.toThrow('killed')
    await db.execute(sql`delete from deliveries where id = ${delivery}`)
    await db.execute(sql`delete from build_runs where build_number = 'killed twice'`)
    expect(server.objects.size).toBeGreaterThan(before.size)
    await removeAll()
    expect(server.objects.size).toBeGreaterThan(before.size)
    await moveTimes(db, 'stored_objects', ['remove_after'], sql`interval '-1 hour'`)
    await removeAll()
    expect(new Set(server.objects.keys())).toEqual(before)
  })

  test('a body that changes while it is uploaded stays in its row', async () => {
    const { id } = await build('changing', 'SUCCESS', noise(2_000))
    await age()
    const changing: ObjectStore = {
      ...store,
      put: async (key, bytes) => {
        await store.put(key, bytes)
        await db.execute(sql`update build_runs set output_log = output_log || 'more' where id = ${id}`)
      },
    }
    await moveAll(changing)
    expect(await db.one(sql`select right(output_log, 4) as end, log_object from build_runs where id = ${id}`)).toEqual({
      end: 'more',
      log_object: null,
    })
  })
})

test('two nodes move everything once, also after the store was unavailable, and remove purged objects', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, i) => build(`both ${i}`, 'SUCCESS', noise(1_000 + i))))
  await age()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const pools = [0, 1].map(() => openDatabase(own.url, { max: 4 }))
  const [looks, begun] = [
    [0, 0],
    [0, 0],
  ] as [number[], number[]]
  const nodes = pools.map((pool, node) => {
    const rows: Pool['rows'] = (query, how) => {
      looks[node]!++
      return pool.rows(query, how)
    }
    const put: ObjectStore['put'] = async (...value) => {
      begun[node]!++
      await gate
      return store.put(...value)
    }
    const log = pino({ level: 'silent' })
    return startMovingObjects({ db: { ...pool, rows }, objects: { ...store, put }, log, pauses: { idle: 10, first: 10 } })
  })
  await until(() => Math.max(...begun) > 0)
  const looked = Math.max(...looks)
  await until(() => Math.min(...looks) > looked + 10)
  expect(Math.min(...begun)).toBe(0)
  const failed = () => Object.values(store.counts.failed).reduce((sum, count) => sum + count, 0)
  const before = failed()
  server.become('away')
  open()
  await until(() => failed() > before)
  server.become('good')
  const left = sql`
    select from deliveries where octet_length(body) >= 16384
    union all select from build_runs where octet_length(output_log) >= 16384`
  await until(async () => (await db.rows(left)).length === 0)
  const puts = server.asked.filter((asked) => asked.startsWith('PUT'))
  expect(puts.length).toBe(new Set(puts).size)
  const metrics = (await tools.studio.ask('/metrics')).text
  expect(metrics).toMatch(/goldmaster_object_store_requests_total\{method="PUT",outcome="ok"\} [1-9]/)
  expect(metrics).toContain('goldmaster_object_store_lag_seconds')
  server.become('away')
  await db.execute(sql`update accounts set retention = '{"logs": 1, "bodies": 1}' where id = ${account}`)
  await moveTimes(db, 'deliveries', ['received_at'], sql`interval '-2 days'`)
  await moveTimes(db, 'build_runs', ['created_at', 'finished_at'], sql`interval '-2 days'`)
  for (const kind of ['bodies', 'logs'] as const) await purge(db, kind, null)
  expect([...(await objectsIn('deliveries')), ...(await objectsIn('build_runs'))]).toEqual([])
  server.become('good')
  await moveTimes(db, 'stored_objects', ['remove_after'], sql`interval '-1 minute'`)
  await until(async () => (await db.rows(sql`select from stored_objects`)).length === 0)
  expect(server.objects.size).toBe(0)
  await Promise.all(nodes.map((node) => node.stop()))
  await Promise.all(pools.map((pool) => pool.close()))
})

test('nothing of a deleted person is left in the store either', async () => {
  await db.execute(sql`update accounts set retention = '{}'`)
  const { id: user } = (await db.one<{ id: number }>(sql`
    insert into users (email, name) values ('zeb@quillfeather.example', 'Zebedee Quillfeather') returning id`))!
  await db.execute(sql`insert into account_members (account_id, user_id, role) values (${account}, ${user}, 'member')`)
  const named = await build('named', 'FAILURE', `${noise(1_000)}by Zebedee Quillfeather <zeb@quillfeather.example>\n${noise(10)}`)
  const other = await build('unnamed', 'FAILURE', noise(1_001))
  await age()
  await moveAll()
  await admin({ db, vault: tools.studio.service.vault }, 'user', 'delete', String(user), '--yes')
  expect((await readLog(named.id)).text).toContain('by Former member <Former member>')
  expect((await lead.app(pageOf(named.delivery))).json.body).toBeNull()
  await removeAll()
  const kept = [...(await objectsIn('deliveries')), ...(await objectsIn('build_runs'))]
  expect(kept.map(({ id }) => id).toSorted()).toEqual([other.delivery, other.id].toSorted())
  expect(server.objects.size).toBe(2)
})

test.each(['project', 'account'] as const)('a deleted %s leaves nothing in the store', async (what) => {
  if (what === 'account')
    await db.execute(sql`
      insert into build_runs (account_id, project_id, status, output_log)
      values (${account}, ${tools.studio.world.projects.paused!.id}, 'failed', ${noise(1_000)})`)
  await age()
  await moveAll()
  expect(server.objects.size).toBeGreaterThan(0)
  server.become('away')
  if (what === 'project') await deleteProject(db, { account_id: account, project_id: tools.project })
  else await deleteAccount(db, account)
  server.become('good')
  await removeAll()
  expect(server.objects.size).toBe(0)
  expect(await db.rows(sql`select from stored_objects`)).toEqual([])
})
