import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buffersOf } from '../../../test/support/buffers.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { ARTIFACT_MAX, ARTIFACT_PIECE_MAX, ARTIFACTS_MAX } from '../../contract/limits.ts'
import { SCOPES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { listOfBuild } from '../../domain/artifacts/artifact-pages.ts'
import { type Artifact, latest as latestOf, read } from '../../domain/artifacts/artifacts.ts'
import { sweep } from '../../domain/files/files.ts'
import { purgeExpired } from '../../domain/retention/retention.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

let builds = 0
const KB = 1024

/** A reported build, and uploads into it. */
async function reported(status = 'STARTED', more: object = {}) {
  const build = { job_name: 'Package Win64', build_number: String(++builds), ...more }
  const { json } = await tools.ci({ ...build, status })
  const id = json.records[0].id as number
  const post = (query: object, raw: Buffer | string, headers: Record<string, string> = {}) =>
    tools.studio.ask(
      `/webhooks/artifacts?${new URLSearchParams({ job_name: build.job_name, build_number: build.build_number, name: 'Game.zip', ...query })}`,
      {
        method: 'POST',
        raw: Buffer.from(raw as string) as Buffer<ArrayBuffer>,
        headers: { 'x-webhook-token': tools.tokenOf('jenkins'), ...headers },
      },
    )
  /** All pieces, one after the other. */
  const send = async (bytes: Buffer, name = 'Game.zip', piece = 64 * KB, upload: string = randomUUID()) => {
    let last: Awaited<ReturnType<typeof post>> | undefined
    for (let at = 0; at < bytes.length; at += piece)
      last = await post({ name, upload, size: bytes.length, offset: at }, bytes.subarray(at, at + piece))
    return last!
  }
  const artifacts = async () =>
    (await tools.api(`build_runs/${id}/artifacts`)).artifacts as { id: string; name: string; sha256: string }[]
  const end = (status: string, also: object = {}) => tools.ci({ ...build, status, ...also })
  return { id, build, post, send, artifacts, end }
}

const download = async (path: string, headers: Record<string, string> = {}, token = tools.studio.world.tokens.all!.token) => {
  const response = await fetch(`${tools.studio.site}/api/v1/projects/${tools.project}/artifacts/${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
    url: response.url,
  }
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('an artifact', () => {
  test('is invisible until its last piece, and then downloaded as it was', async () => {
    const { id, post, artifacts } = await reported()
    const bytes = randomBytes(150 * KB)
    const query = { upload: randomUUID(), size: bytes.length, name: 'Saved\\Builds/Game.zip' }
    const first = await post({ ...query, offset: 0 }, bytes.subarray(0, 100 * KB))
    expect(first).toMatchObject({
      status: 200,
      json: { status: 'uploading', build_run_id: String(id), offset: 100 * KB },
    })
    expect(await artifacts()).toEqual([])
    const [unfinished] = await tools.studio.db.rows<{ id: string }>(sql`select id from artifacts where build_run_id = ${id}`)
    expect((await download(unfinished!.id)).status).toBe(404)
    const share = { method: 'POST', body: { artifact_id: unfinished!.id } }
    expect((await tools.api(`build_runs/${id}/share_links`, share)).error).toBe('not_found')
    expect((await post({ ...query, offset: 100 * KB }, bytes.subarray(100 * KB))).json).toMatchObject({
      status: 'complete',
      offset: bytes.length,
    })
    const [artifact] = await artifacts()
    expect(artifact).toMatchObject({ name: 'Saved/Builds/Game.zip', size_bytes: bytes.length, build_run_id: String(id) })
    const got = await download(artifact!.id)
    expect(hashOf(got.bytes)).toBe(hashOf(bytes))
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringContaining('attachment; filename="Game.zip"'),
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${hashOf(bytes)}"`,
      'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
    })
    expect(artifact!.sha256).toBe(hashOf(bytes))
    const part = await download(artifact!.id, { range: `bytes=${100 * KB - 5}-${100 * KB + 4}` })
    expect(part.status).toBe(206)
    expect(part.bytes).toEqual(bytes.subarray(100 * KB - 5, 100 * KB + 5))
    expect((await download(artifact!.id, { 'if-none-match': got.headers.get('etag')! })).status).toBe(304)
  })

  test('appears in its build in place of what the report says about the same name', async () => {
    const { id, send, end } = await reported()
    await end('SUCCESS', {
      artifacts: [
        { name: 'Game.zip', size_bytes: 7 },
        { name: 'Notes.txt', size_bytes: 3, url: 'https://ci.example/notes' },
      ],
    })
    await send(Buffer.from('a whole game'))
    const { artifacts } = await tools.api(`build_runs/${id}`)
    expect(artifacts).toEqual([
      {
        name: 'Game.zip',
        size_bytes: 12,
        url: expect.stringMatching(/^https:\/\/gold\.example\/api\/v1\/projects\/\d+\/artifacts\//),
      },
      { name: 'Notes.txt', size_bytes: 3, url: 'https://ci.example/notes' },
    ])
  })

  test('of 250 pieces is read from any byte with a statement for each hundred of them', async () => {
    const { db } = tools.studio
    const { id, send } = await reported()
    const bytes = randomBytes(64 * KB)
    await send(bytes)
    await db.execute(sql`
      insert into artifact_pieces (account_id, artifact_id, start, bytes, sha256)
      select p.account_id, p.artifact_id, n * p.bytes, p.bytes, p.sha256 from artifact_pieces p join artifacts a on a.id = p.artifact_id,
        generate_series(1, 249) n where a.build_run_id = ${id}`)
    const by = (await db.one<Artifact>(sql`select id, account_id, name from artifacts where build_run_id = ${id}`))!
    let statements = 0
    const counting = {
      ...db,
      rows: (query: Sql) => {
        statements++
        return db.rows(query)
      },
    } as Database
    const whole = Buffer.concat(Array.from({ length: 250 }, () => bytes))
    for (const [from, until, least] of [
      [0, whole.length, 3],
      [64 * KB * 100 - 1, 64 * KB * 100 + 1, 1],
      [whole.length - 5, whole.length, 1],
    ] as const) {
      statements = 0
      const parts: Buffer[] = []
      for await (const part of read(counting, by, from, until)) parts.push(part)
      expect(Buffer.concat(parts).equals(whole.subarray(from, until))).toBe(true)
      expect(statements).toBe(least)
    }
  })

  test('is continued where it stopped, and repeated pieces count once', async () => {
    const { post, artifacts } = await reported()
    const bytes = randomBytes(200 * KB)
    const query = { upload: randomUUID(), size: bytes.length }
    await post({ ...query, offset: 0 }, bytes.subarray(0, 64 * KB))
    expect((await post({ ...query, offset: 0 }, bytes.subarray(0, 64 * KB))).json).toMatchObject({ offset: 64 * KB })
    expect(await post({ ...query, offset: 128 * KB }, bytes.subarray(128 * KB))).toMatchObject({
      status: 409,
      json: { error: 'artifact_gap', offset: 64 * KB },
    })
    expect((await post({ ...query, offset: 0 }, '')).json, 'an empty piece asks how far it is').toMatchObject({ offset: 64 * KB })
    await post({ ...query, offset: 64 * KB }, bytes.subarray(64 * KB))
    expect((await post({ ...query, offset: 64 * KB }, bytes.subarray(64 * KB))).json).toMatchObject({ status: 'complete' })
    const [artifact, ...others] = await artifacts()
    expect(others).toEqual([])
    expect((await download(artifact!.id)).bytes).toEqual(bytes)
  })

  test('is stored once when the same piece arrives ten times at once', async () => {
    const { post, artifacts } = await reported()
    const bytes = randomBytes(70 * KB)
    const query = { upload: randomUUID(), size: bytes.length, offset: 0 }
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(query, bytes)))
    expect(answers.map(({ status, json }) => [status, json.status])).toEqual(Array(10).fill([200, 'complete']))
    expect(await artifacts()).toHaveLength(1)
    expect((await download((await artifacts())[0]!.id)).bytes).toEqual(bytes)
  })

  test('of a running build is replaced only once a new upload of its name is complete', async () => {
    const { post, send, artifacts } = await reported()
    const [former, newer] = [randomBytes(80 * KB), randomBytes(90 * KB)]
    await send(former)
    const query = { upload: randomUUID(), size: newer.length }
    await post({ ...query, offset: 0 }, newer.subarray(0, 64 * KB))
    expect((await download((await artifacts())[0]!.id)).bytes).toEqual(former)
    await post({ ...query, offset: 64 * KB }, newer.subarray(64 * KB))
    expect(await artifacts()).toHaveLength(1)
    expect((await download((await artifacts())[0]!.id)).bytes).toEqual(newer)
  })

  test('of a passed build stays with its links when other bytes of its name are uploaded, and the history says so', async () => {
    const { id, post, send, artifacts, end } = await reported()
    const [former, newer] = [randomBytes(80 * KB), randomBytes(90 * KB)]
    await send(randomBytes(10 * KB), 'Notes.txt')
    await send(former)
    await end('SUCCESS')
    const [artifact] = await artifacts()
    const link = await tools.api(`build_runs/${id}/share_links`, { method: 'POST', body: { artifact_id: artifact!.id } })
    expect((await send(newer)).json.status).toBe('complete')
    expect((await artifacts()).map(({ name, sha256 }) => [name, sha256 === hashOf(former), sha256 === hashOf(newer)])).toEqual([
      ['Game.zip', false, true],
      ['Game.zip', true, false],
      ['Notes.txt', false, false],
    ])
    expect((await download(artifact!.id)).bytes).toEqual(former)
    const shared = await fetch(link.url.replace('https://gold.example', tools.studio.site))
    expect(Buffer.from(await shared.arrayBuffer())).toEqual(former)
    expect((await download(`latest?name=Game.zip`)).bytes, 'what the build made').toEqual(former)
    const { history } = await tools.api(`build_runs/${id}/history`)
    expect(history.filter(({ kind }: { kind: string }) => kind === 'artifact_again')).toEqual([
      expect.objectContaining({ note: 'Game.zip', user_id: null }),
    ])
    await post({ upload: randomUUID(), size: 5, offset: 0, name: 'Other.zip' }, 'other')
    expect((await tools.api(`build_runs/${id}/history`)).history).toHaveLength(history.length)
  })

  test('keeps its id and its links when the same bytes are uploaded again, in whatever pieces', async () => {
    const { id, post, send, artifacts, end } = await reported()
    const bytes = randomBytes(200 * KB)
    await send(bytes, 'Game.zip', 100 * KB)
    await send(bytes, 'Copy.zip')
    await end('SUCCESS')
    const before = await artifacts()
    const artifact_id = before.find(({ name }) => name === 'Game.zip')!.id
    const link = await tools.api(`build_runs/${id}/share_links`, { method: 'POST', body: { artifact_id } })
    const upload = randomUUID()
    const again = await send(bytes, 'Game.zip', 70 * KB, upload)
    expect(again.json).toEqual({ status: 'complete', build_run_id: String(id), offset: bytes.length })
    const repeated = await post({ upload, size: bytes.length, offset: 140 * KB }, bytes.subarray(140 * KB))
    expect(repeated.json, 'a last piece whose answer was lost').toEqual(again.json)
    expect(await artifacts()).toEqual(before)
    expect((await tools.api(`build_runs/${id}/share_links`)).share_links).toEqual([
      expect.objectContaining({ id: link.id, artifact_id }),
    ])
    const { history } = await tools.api(`build_runs/${id}/history`)
    expect(history.map(({ kind }: { kind: string }) => kind)).not.toContain('artifact_again')
    const { db } = tools.studio
    expect(await db.rows(sql`select from artifacts where build_run_id = ${id}`)).toHaveLength(2)
  })

  test('that stopped is removed after a day, and a complete one stays', async () => {
    const { id, post, send } = await reported()
    await send(randomBytes(65 * KB), 'complete')
    const query = { size: 100 * KB, offset: 0 }
    await post({ ...query, name: 'stopped', upload: randomUUID() }, randomBytes(64 * KB))
    await post({ ...query, name: 'running', upload: randomUUID() }, randomBytes(64 * KB))
    const { db } = tools.studio
    await db.execute(
      sql`update artifacts set updated_at = now() - interval '25 hours' where build_run_id = ${id} and name <> 'running'`,
    )
    await purgeExpired(db)
    const left = await db.rows<{ name: string }>(sql`select name from artifacts where build_run_id = ${id} order by name`)
    expect(left.map(({ name }) => name)).toEqual(['complete', 'running'])
  })

  test('is kept by the sweep of files while it exists, and its bytes go with it', async () => {
    const { send, artifacts } = await reported()
    const bytes = randomBytes(65 * KB)
    await send(bytes)
    const { db } = tools.studio
    await db.execute(sql`update file_contents set used_at = now() - interval '2 days'`)
    await sweep(db)
    const [artifact] = await artifacts()
    expect((await download(artifact!.id)).bytes).toEqual(bytes)
    await db.execute(sql`delete from artifacts where id = ${artifact!.id}`)
    expect((await sweep(db)).removed).toBeGreaterThanOrEqual(2)
    expect((await download(artifact!.id)).status).toBe(404)
  })
})

describe('the artifacts of a build', () => {
  const filled = async (id: number, uploads: number, reports: number) => {
    const { db } = tools.studio
    await db.execute(sql`
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
      select account_id, project_id, id, 'up/' || n || '.bin', 'once', 1, 1, timestamptz '2026-01-01' + n * interval '1 second', sha256('1')
      from build_runs, generate_series(1, ${uploads}::integer) n where id = ${id}`)
    await db.execute(sql`
      update build_runs set artifacts = (
        select jsonb_agg(jsonb_build_object('name', 'said/' || n || '.txt', 'size_bytes', null, 'url', '') order by n)
        from generate_series(1, ${reports}::integer) n) where id = ${id}`)
  }
  const pageOf = async (id: number, query: object = {}) =>
    tools.api(`build_runs/${id}/artifacts?${new URLSearchParams({ limit: '50', ...query })}`)
  const allOf = async (id: number, query: object = {}) => {
    const names: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await pageOf(id, { ...query, ...(cursor !== undefined && { cursor }) })
      names.push(...page.artifacts.map(({ name }: { name: string }) => name))
      cursor = page.pagination.next_cursor
    }
    return names
  }

  test('come page by page: uploaded ones, newest first, then what it only reported, each once', async () => {
    const { id, post, send, end } = await reported()
    await end('SUCCESS', {
      artifacts: ['Notes.txt', 'Game.zip', 'log/a.txt', 'Notes.txt'].map((name) => ({ name, size_bytes: 3 })),
    })
    await send(Buffer.from('a game'))
    await send(Buffer.from('symbols'), 'Game.pdb')
    const other = await reported('SUCCESS')
    await other.send(Buffer.from('of another build'), 'Other.zip')
    // The rest of it is still to come.
    await post({ upload: randomUUID(), size: 9, name: 'Half.zip', offset: 0 }, Buffer.from('half'))
    const inOrder = ['Game.pdb', 'Game.zip', 'Notes.txt', 'log/a.txt', 'Notes.txt']
    for (const limit of ['1', '2', '3', '50']) expect(await allOf(id, { limit })).toEqual(inOrder)
    expect(await allOf(id, { name: '*.txt', limit: '2' })).toEqual(['Notes.txt', 'log/a.txt', 'Notes.txt'])
    const { artifacts } = await pageOf(id)
    expect(artifacts.at(-1)).toEqual({
      id: null,
      position: 4,
      build_run_id: String(id),
      name: 'Notes.txt',
      size_bytes: 3,
      sha256: null,
      url: '',
      created_at: null,
    })
    const { pagination } = await pageOf(id, { limit: '2' })
    const foreign = await tools.studio.ask(
      `/api/v1/projects/${tools.project}/build_runs/${other.id}/artifacts?cursor=${pagination.next_cursor}`,
      { token: tools.studio.world.tokens.all!.token as string },
    )
    expect(foreign.status).toBe(400)
  })

  test('are in the build itself up to 100, which then says how many there are and where', async () => {
    const shown = async (id: number) => {
      const response = await fetch(`${tools.studio.site}/api/v1/projects/${tools.project}/build_runs/${id}`, {
        headers: { authorization: `Bearer ${tools.studio.world.tokens.all!.token}` },
      })
      const { artifacts, ...build } = (await response.json()) as { artifacts: unknown[] }
      expect(Object.keys(build)).not.toContain('artifact_count')
      return [artifacts.length, response.headers.get('link')] as const
    }
    const { id } = await reported('SUCCESS')
    await filled(id, 40, 60)
    expect(await shown(id)).toEqual([100, null])
    await filled((await reported('SUCCESS')).id, 1, 1)
    await tools.studio.db.execute(
      sql`update build_runs set artifacts = artifacts || '[{"name": "one more", "size_bytes": null, "url": ""}]' where id = ${id}`,
    )
    const [count, link] = await shown(id)
    expect([count, link]).toEqual([100, expect.stringContaining('; rel="related"; count="101"')])
    const path = new URL(/^<([^>]+)>/.exec(link!)![1]!).pathname
    expect(path).toBe(`/api/v1/projects/${tools.project}/build_runs/${id}/artifacts`)
    expect(await allOf(id)).toHaveLength(101)
  })

  test('cost the same per page of 2,000 as of 200', async () => {
    const { db } = tools.studio
    const by = (await db.one<{ account_id: number; project_id: number }>(sql`
      select account_id, id as project_id from projects where id = ${tools.project}`))!
    const [few, many] = [(await reported('SUCCESS')).id, (await reported('SUCCESS')).id]
    await filled(few, 200, 200)
    await filled(many, 2_000, 20_000)
    await db.execute(sql`analyze artifacts, build_runs`)
    const cursor = { at: '2026-01-01T00:01:40Z', id: '00000000-0000-4000-8000-000000000000' }
    const cost = (id: number) =>
      buffersOf(db, (db) =>
        listOfBuild(db, by, id, { limit: 20, cursor: id === few ? cursor : { ...cursor, at: '2026-01-01T00:20:00Z' } }, ''),
      )
    expect(await cost(many)).toBeLessThan((await cost(few)) * 2)
    expect((await pageOf(many)).artifacts).toHaveLength(50)
  })
})

describe('an upload is refused', () => {
  const upload = randomUUID()
  test.each([
    ['without an upload id', { upload: 'mine' }, 422, 'invalid_parameter', 'upload'],
    ['without a size', { size: '' }, 422, 'invalid_parameter', 'size'],
    ['with a negative offset', { offset: '-1' }, 422, 'invalid_parameter', 'offset'],
    ['beyond the largest file', { size: ARTIFACT_MAX + 1 }, 422, 'invalid_parameter', 'size'],
    ['of an empty file', { size: 0 }, 422, 'invalid_parameter', 'size'],
    ['that is longer than announced', { size: 3 }, 422, 'invalid_parameter', 'size'],
    ['in pieces of a few bytes', { size: 1_000_000 }, 422, 'invalid_parameter', 'offset'],
    ['without a name', { name: '' }, 422, 'invalid_parameter', 'name'],
    ['of a folder', { name: 'Builds/' }, 422, 'invalid_parameter', 'name'],
    ['with a path out of its folder', { name: '../../etc/passwd' }, 422, 'invalid_parameter', 'name'],
    ['with a name of a kilobyte', { name: 'x'.repeat(1_000) }, 422, 'invalid_parameter', 'name'],
    ['for an unknown build', { build_number: '999999' }, 404, 'unknown_build', 'build'],
  ])('%s', async (_, query, status, error, about) => {
    const { post } = await reported()
    expect(await post({ upload, size: 7, offset: 0, ...query }, 'content')).toMatchObject({
      status,
      json: { error, message: expect.stringContaining(about) },
    })
  })

  test('with another size than before', async () => {
    const { post } = await reported()
    await post({ upload, size: 70 * KB, offset: 0 }, randomBytes(64 * KB))
    expect((await post({ upload, size: 71 * KB, offset: 64 * KB }, randomBytes(7 * KB))).json.message).toMatch(/^size was/)
  })

  test('with a piece that is too large, before it is read', async () => {
    const { post } = await reported()
    const answer = await post({ upload, size: 9_000_000, offset: 0 }, Buffer.alloc(ARTIFACT_PIECE_MAX + 1))
    expect(answer.status).toBe(413)
  })

  test('with an unknown token, and with that of an integration that did not report the build', async () => {
    const { post } = await reported()
    expect((await post({ upload, size: 3, offset: 0 }, 'abc', { 'x-webhook-token': 'f'.repeat(64) })).status).toBe(404)
    const { post: other } = await reported()
    expect(
      (await other({ upload, size: 3, offset: 0 }, 'abc', { 'x-webhook-token': tools.tokenOf('teamcity') })).json.error,
    ).toBe('unknown_build')
  })

  test('beyond the number of artifacts of a build, and not for a new upload of the others', async () => {
    const { id, post } = await reported()
    await tools.studio.db.execute(sql`
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes)
      select account_id, project_id, id, 'file ' || n, n, 1 from build_runs, generate_series(1, ${ARTIFACTS_MAX}) n where id = ${id}`)
    expect((await post({ upload, size: 3, offset: 0 }, 'abc')).json.error).toBe('too_many_artifacts')
  })

  const used = async (owner: Sql) =>
    (await tools.studio.db.one<{ used: number }>(sql`
      select (attachments + previews + artifacts)::float8 as used from file_usage where account_id = ${owner}`))!.used
  const allow = (owner: Sql, quotas: object) =>
    tools.studio.db.execute(sql`update accounts set quotas = ${JSON.stringify(quotas)}::jsonb where id = ${owner}`)

  test('beyond the quota of the account: what does not fit at once, and then by what arrived', async () => {
    const { id, post } = await reported()
    const owner = sql`(select account_id from build_runs where id = ${id})`
    await allow(owner, { file_bytes: (await used(owner)) + 150 * KB })
    const first = { upload: randomUUID(), size: 150 * KB }
    const second = { upload: randomUUID(), size: 150 * KB, name: 'b' }
    const refusal = { error: 'quota_exceeded', quota: 'file_bytes' }
    expect((await post({ upload: randomUUID(), size: 151 * KB, offset: 0 }, randomBytes(64 * KB))).json).toMatchObject(refusal)
    expect((await post({ ...first, offset: 0 }, randomBytes(64 * KB))).status).toBe(200)
    // Announced as 150 kB, 64 kB have arrived.
    expect((await post({ size: 1, offset: 0, upload: randomUUID(), name: 'small' }, 'b')).json.status).toBe('complete')
    await allow(owner, {})
    expect((await post({ ...second, offset: 0 }, randomBytes(64 * KB))).status).toBe(200)
    await allow(owner, { file_bytes: (await used(owner)) + 70 * KB })
    expect((await post({ ...first, offset: 64 * KB }, randomBytes(64 * KB))).status).toBe(200)
    expect((await post({ ...second, offset: 64 * KB }, randomBytes(64 * KB))).json).toMatchObject(refusal)
    await allow(owner, {})
  })

  test('while other unfinished uploads of its integration have half of the space, and not for those of another integration', async () => {
    const { id, post } = await reported()
    const { db } = tools.studio
    const owner = sql`(select account_id from build_runs where id = ${id})`
    const nightly = { job_name: 'Nightly', build_number: '1' }
    await db.execute(sql`
      insert into build_runs (account_id, project_id, integration_id, ci_job_name, build_number)
      select b.account_id, b.project_id, i.id, ${nightly.job_name}, ${nightly.build_number} from build_runs b
      join integrations i on i.account_id = b.account_id and i.provider = 'teamcity' where b.id = ${id}`)
    await db.execute(sql`delete from artifacts where completed_at is null`)
    const before = await used(owner)
    await db.execute(sql`
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received)
      select account_id, project_id, id, 'stopped', 'x', 1000000000, ${before + 300 * KB} from build_runs where id = ${id}`)
    await allow(owner, { file_bytes: 2 * (before + 350 * KB) })
    const piece = { size: 100 * KB, offset: 0, upload: randomUUID() }
    expect(await post(piece, randomBytes(64 * KB))).toMatchObject({
      status: 429,
      json: { error: 'too_many_unfinished_uploads' },
    })
    expect((await post({ ...piece, size: 5, name: 'whole' }, 'whole')).json.status).toBe('complete')
    const others = await post({ ...piece, ...nightly }, randomBytes(64 * KB), { 'x-webhook-token': tools.tokenOf('teamcity') })
    expect(others.json.status).toBe('uploading')
    await allow(owner, {})
  })
})

describe('a share link', () => {
  const links = (id: number) => `build_runs/${id}/share_links`
  const share = (id: number, body: object) => tools.api(links(id), { method: 'POST', body })
  const open = (url: string, asking: RequestInit = {}) => fetch(url.replace('https://gold.example', tools.studio.site), asking)
  const entries = (id: number) =>
    tools.studio.db.rows<{ action: string }>(sql`select action from audit_log where subject = ${`build_run/${id}`} order by id`)

  async function shared(days?: number) {
    const build = await reported()
    const bytes = randomBytes(90 * KB)
    await build.send(bytes)
    const [artifact] = await build.artifacts()
    const link = await share(build.id, { artifact_id: artifact!.id, ...(days && { days }) })
    return { ...build, bytes, artifact: artifact!, link }
  }

  test('downloads the file without signing in, in parts too, and nothing of it is cached', async () => {
    const { link, bytes, id, artifact } = await shared()
    expect(link).toMatchObject({
      artifact_id: artifact.id,
      artifact_name: 'Game.zip',
      build_run_id: String(id),
      url: expect.stringMatching(/^https:\/\/gold\.example\/shared\/[0-9a-z]+-[0-9A-Za-z]{43}$/),
    })
    expect((Date.parse(link.expires_at) - Date.parse(link.created_at)) / 86_400_000).toBe(7)
    const got = await open(link.url)
    expect(Buffer.from(await got.arrayBuffer())).toEqual(bytes)
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-disposition': expect.stringContaining('attachment; filename="Game.zip"'),
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    const part = await open(link.url, { headers: { range: 'bytes=10-19' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(10, 20)])
    const head = await open(link.url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  test('is listed without its URL, revoked, and leaves entries in the audit log', async () => {
    const { link, id } = await shared(2)
    const listed = await tools.api(links(id))
    expect(listed.share_links).toEqual([expect.objectContaining({ id: link.id, artifact_name: 'Game.zip' })])
    expect(JSON.stringify(listed)).not.toContain(link.url.split('/').at(-1))
    const stored = await tools.studio.db.rows(sql`select * from share_links`)
    expect(JSON.stringify(stored)).not.toContain(link.url.split('-').at(-1))
    await tools.api(`share_links/${link.id}`, { method: 'DELETE' })
    expect((await open(link.url)).status).toBe(404)
    expect((await tools.api(links(id))).share_links).toEqual([])
    expect((await entries(id)).map(({ action }) => action)).toEqual(['createShareLink', 'revokeShareLink'])
    const { history } = await tools.api(`build_runs/${id}/history`)
    expect(history.map(({ kind }: { kind: string }) => kind)).toEqual(expect.arrayContaining(['shared', 'share_revoked']))
  })

  test('answers the same 404 when it has expired, was revoked or never existed', async () => {
    const [expired, revoked] = [await shared(1), await shared()]
    await tools.studio.db.execute(
      sql`update share_links set expires_at = now() - interval '1 second' where id = ${expired.link.id}`,
    )
    await tools.api(`share_links/${revoked.link.id}`, { method: 'DELETE' })
    const base = expired.link.url.slice(0, expired.link.url.lastIndexOf('/'))
    const urls = [
      expired.link.url,
      revoked.link.url,
      `${base}/1-${'a'.repeat(43)}`,
      `${base}/x`,
      `${base}/zzzzzz-${'a'.repeat(43)}`,
    ]
    const answers = await Promise.all(
      urls.map(async (url) => {
        const response = await open(url)
        return [response.status, await response.text(), response.headers.get('referrer-policy')]
      }),
    )
    for (const answer of answers) expect(answer).toEqual([404, answers[0]![1], 'no-referrer'])
    expect(await purgeExpired(tools.studio.db)).toBeGreaterThan(0)
    expect(await tools.studio.db.rows(sql`select from share_links where id = ${expired.link.id}`)).toEqual([])
  })

  test('ends when its creator may only read, and does not come back', async () => {
    const { link } = await shared()
    const role = (role: string) => tools.studio.db.execute(sql`update account_members set role = ${role}`)
    await tools.studio.db.execute(sql`
      insert into project_members (account_id, project_id, user_id, project_role)
      select m.account_id, ${tools.project}, m.user_id, 'viewer' from account_members m
      on conflict (account_id, project_id, user_id) do update set project_role = 'viewer'`)
    await role('member')
    try {
      expect((await open(link.url)).status).toBe(404)
      await purgeExpired(tools.studio.db)
    } finally {
      await role('owner')
    }
    expect((await open(link.url)).status).toBe(404)
  })

  test('ends with its artifact, and is refused for an artifact of another build, a wrong id or a wrong time', async () => {
    const { link, id, artifact, post } = await shared()
    const other = await reported()
    for (const [build, body, status] of [
      [other.id, { artifact_id: artifact.id }, 404],
      [id, { artifact_id: randomUUID() }, 404],
      [id, { artifact_id: 'x' }, 404],
      [0, { artifact_id: artifact.id }, 404],
      [id, { artifact_id: artifact.id, days: 31 }, 422],
      [id, { artifact_id: artifact.id, days: 0 }, 422],
      [id, {}, 422],
    ] as const) {
      const { token } = tools.studio.world.tokens.all!
      const answer = await tools.studio.ask(`/api/v1/projects/${tools.project}/${links(build)}`, { method: 'POST', token, body })
      expect(answer.status, JSON.stringify(body)).toBe(status)
    }
    // The build still runs, but what was shared is not replaced.
    await post({ upload: randomUUID(), size: 3, offset: 0 }, Buffer.from('new'))
    expect((await open(link.url)).status).toBe(200)
    await tools.studio.db.execute(sql`delete from artifacts where id = ${artifact.id}`)
    expect((await open(link.url)).status).toBe(404)
  })
})

describe('the newest artifact', () => {
  const latest = (query: object) => download(`latest?${new URLSearchParams(query as Record<string, string>)}`)

  test('of a branch is that of its newest change that passed, whichever build was reported last', async () => {
    const branch = '//game/main'
    const changes = ['7001', '7002', '7003']
    for (const change of changes)
      await tools.studio.db.execute(sql`
        with owner as (select account_id, id as project_id from projects where id = ${tools.project}),
          made as (
            insert into changes (account_id, project_id, identifier, source_type, author, description)
            select account_id, project_id, ${change}, 'Changelist', 'ann', '' from owner returning account_id, project_id, id)
        insert into change_branches (account_id, project_id, change_id, branch)
        select account_id, project_id, id, ${branch} from made`)
    const at = (changelist: string, status: string, more: object = {}) =>
      reported(status, { branch, changelist, platform: 'Win64', ...more })
    const newest = await at('7002', 'SUCCESS')
    await newest.send(Buffer.from('two'), 'Game-2.zip')
    await newest.send(Buffer.from('symbols'), 'Game-2.pdb')
    await (await at('7003', 'FAILURE')).send(Buffer.from('three'), 'Game-3.zip')
    await (await at('7003', 'SUCCESS', { platform: 'PS5' })).send(Buffer.from('three'), 'Game-3.pkg')
    await (await at('7001', 'SUCCESS')).send(Buffer.from('one'), 'Game-1.zip')
    const got = await latest({ branch, platform: 'win64', name: '*.zip' })
    expect(got).toMatchObject({ status: 200, bytes: Buffer.from('two') })
    expect(got.url).toMatch(/\/artifacts\/[0-9a-f-]{36}$/)
    expect((await latest({ branch, platform: 'PS5' })).bytes.toString()).toBe('three')
    expect((await latest({ job: 'Package Win64', name: '*.zip' })).bytes.toString(), 'without a branch by arrival').toBe('one')
    const { artifacts } = await tools.api(`artifacts?${new URLSearchParams({ branch, platform: 'Win64' })}`)
    expect(artifacts.map(({ name }: { name: string }) => name)).toEqual(['Game-2.pdb', 'Game-2.zip'])
    expect(await tools.api('artifacts?branch=nowhere')).toEqual({ artifacts: [], pagination: { limit: 20, has_more: false } })
    expect(await tools.api(`artifacts?${new URLSearchParams({ branch, platform: 'Win64', limit: '1' })}`)).toMatchObject({
      artifacts: [{}],
      pagination: { limit: 1, has_more: true },
    })
    for (const none of [{ branch: 'nowhere' }, { platform: 'Switch' }, { name: '%' }, { name: 'Game_2.zip' }])
      expect((await latest(none)).status, JSON.stringify(none)).toBe(404)
  })

  test('of a job is found after 2,000 builds of other jobs, and never that of a bisection or a preflight', async () => {
    const build = { job_name: 'Rare package', branch: '//game/rare' }
    const good = await reported('SUCCESS', build)
    await good.send(Buffer.from('good'))
    const asked = { job: build.job_name }
    const { db } = tools.studio
    for (const kind of ['bisect', 'preflight']) {
      const other = await reported('SUCCESS', build)
      await other.send(Buffer.from(kind))
      await db.execute(sql`update build_runs set kind = ${kind} where id = ${other.id}`)
    }
    await (await reported('FAILURE', build)).send(Buffer.from('failed'))
    await db.execute(sql`
      with build as (
        insert into build_runs (account_id, project_id, status, ci_job_name, build_number, branch)
        select account_id, project_id, 'completed', 'Others', 'n' || n, ${build.branch} from build_runs, generate_series(1, 2100) n
        where id = ${good.id} returning account_id, project_id, id)
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
      select account_id, project_id, id, 'Other.zip', 'one', 1, 1, now(), sha256('1') from build`)
    for (const query of [asked, { ...asked, branch: build.branch }, { branch: build.branch, name: 'Game*' }])
      expect((await latest(query)).bytes.toString(), JSON.stringify(query)).toBe('good')
    // Then the build turns out to have failed, and another one to have passed.
    const later = await reported('STARTED', build)
    await later.send(Buffer.from('later'))
    expect((await latest(asked)).bytes.toString()).toBe('good')
    await later.end('SUCCESS', { branch: build.branch })
    expect((await latest(asked)).bytes.toString()).toBe('later')
    await db.execute(sql`update build_runs set status = 'failed' where id = ${later.id}`)
    expect((await latest(asked)).bytes.toString()).toBe('good')
    await db.execute(sql`update build_runs set platform = 'PS5' where id = ${good.id}`)
    expect((await latest({ ...asked, platform: 'PS5' })).bytes.toString()).toBe('good')
    await db.execute(sql`delete from artifacts where build_run_id = ${good.id}`)
    expect(await db.rows(sql`select from artifact_builds where build_run_id = ${good.id}`)).toEqual([])
    expect((await latest(asked)).status).toBe(404)
  })

  test('costs the same after 3,600 builds as after 600', async () => {
    const { db } = tools.studio
    const { account_id, project_id } = (await db.one<{ account_id: number; project_id: number }>(sql`
      select account_id, id as project_id from projects where id = ${tools.project}`))!
    const fill = (from: number, until: number) =>
      db.execute(sql`
        with build as (
          insert into build_runs (account_id, project_id, status, ci_job_name, build_number, branch, platform)
          select ${account_id}, ${project_id}, 'completed', 'Job ' || n % 2, 'm' || n, '//game/b', 'Win64'
          from generate_series(${from}::integer, ${until}) n returning account_id, project_id, id)
        insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
        select account_id, project_id, id, 'Other.zip', 'one', 1, 1, now(), sha256('1') from build`)
    const cost = async () => {
      await db.execute(sql`analyze build_runs, artifacts, artifact_builds`)
      const any = { job: undefined, platform: undefined, configuration: undefined, name: undefined, limit: 20 }
      return buffersOf(db, (db) => latestOf(db, { account_id, project_id }, { branch: '//game/b', ...any }, ''))
    }
    await fill(1, 600)
    const few = await cost()
    for (let from = 601; from < 3_600; from += 600) await fill(from, from + 599)
    // An index may get one level deeper; reading every build would be six times as much.
    expect(await cost()).toBeLessThan(few * 2)
  })

  test('is not shown without read:builds, or to another account', async () => {
    const other = await tools.studio.load({
      accounts: [{ key: 'fox', name: 'Red Fox' }],
      users: [{ key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } }],
      tokens: [{ key: 'rival', user: 'rival', name: 'rival', scopes: SCOPES }],
    })
    const build = await reported('SUCCESS')
    await build.send(Buffer.from('secret'))
    const [artifact] = await build.artifacts()
    for (const path of [artifact!.id, 'latest']) {
      expect((await download(path)).status).toBe(200)
      expect((await download(path, {}, 'stranger')).status).toBe(401)
      expect((await download(path, {}, other.tokens.rival!.token)).status).toBe(404)
    }
    await tools.studio.db.execute(sql`update api_tokens set scopes = array['read:tasks']`)
    for (const path of [artifact!.id, 'latest']) expect((await download(path)).status).toBe(403)
  })
})
