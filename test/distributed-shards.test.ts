import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ARTIFACT_PIECE_MIN } from '../src/contract/limits.ts'
import { openDatabase, raw, sql } from '../src/db/database.ts'
import { png } from './support/files/pictures.ts'
import { expectTruth, fixtures, openSamples, sendAll } from './support/files/samples.ts'
import { CITUS_PREFIX } from './support/servers/cluster.ts'
import { type Asking, openStudio, type Studio } from './support/studio.ts'
import { all, asker } from './support/studios/every-route.ts'
import { nightOwl } from './support/studios/night-owl.ts'
import { commit, openTools, push, type Tools } from './support/tools.ts'

/** Each statement of a request goes to the server of its account. */
const suite = CITUS_PREFIX ? describe : describe.skip

/** From now on a statement that goes to several shards fails. */
async function onOneShard(loaded: Studio): Promise<Studio> {
  const name = new URL(loaded.url).pathname.slice(1)
  await loaded.db.execute(sql`alter database ${raw(name)} set citus.multi_task_query_log_level = 'error'`)
  const db = openDatabase(loaded.url, { max: 4, statementTimeout: 60_000, files: loaded.db.files })
  const studio = await openStudio({}, { beside: { ...loaded, db } })
  const close = async () => {
    await studio.close()
    await db.close()
    await loaded.close()
  }
  return { ...studio, world: loaded.world, close }
}

suite(`every route of the API on a coordinator and two workers${CITUS_PREFIX ? '' : ' [CITUS_PREFIX not set]'}`, () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await onOneShard(await openStudio(nightOwl))
  })
  afterAll(() => studio?.close())
  const { ask, pathOf, id, tokenOf } = asker(() => studio)
  const within = (path: string, asking: Asking = {}) =>
    studio.ask(`/api/v1/projects/${id('projects', 'star')}/${path}`, { token: tokenOf('all'), ...asking })

  test('a statement about all accounts is noticed', async () => {
    await expect(studio.db.rows(sql`select count(*) from tasks`)).rejects.toThrow('multi-task query')
  })

  test.each(all)('%s sends each statement to one shard', async (name) => {
    // The builds of this studio were reported by no server that could be asked, and a world has neither artifacts nor share links.
    const refusal = { actOnBuild: 422, createShareLink: 404, revokeShareLink: 404 }[name as string]
    expect(refusal === undefined ? [200, 201, 202] : [refusal]).toContain((await ask(name)).status)
  })

  test('the files of comments and previews are downloaded with statements for one shard', async () => {
    const bytes = { raw: Buffer.from(png()), headers: { 'content-type': 'application/octet-stream' } }
    const attached = await ask('attachToComment', `${pathOf('attachToComment')}?name=shot.png`, bytes)
    const preview = await ask('uploadPreview', pathOf('uploadPreview'), bytes)
    expect([attached.status, preview.status]).toEqual([201, 200])
    const file = await within(`files/${attached.json.attachments.at(-1).id}`)
    const sizes = ['small', 'large', 'original'].map((size) =>
      studio.ask(`${pathOf('uploadPreview')}?size=${size}`, { token: tokenOf('all') }),
    )
    const downloads = [file, ...(await Promise.all(sizes))]
    expect(downloads.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [200, 'image/png'],
      [200, 'image/webp'],
      [200, 'image/webp'],
      [200, 'image/png'],
    ])
  })
})

suite(`every webhook on a coordinator and two workers${CITUS_PREFIX ? '' : ' [CITUS_PREFIX not set]'}`, () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await onOneShard(await openSamples())
  })
  afterAll(() => studio?.close())
  const samples = fixtures()

  test.each([...new Set(samples.map(({ path }) => path))])('%s sends each statement to one shard', async (path) => {
    const answers = await sendAll(
      studio,
      samples.filter((sample) => sample.path === path),
    )
    for (const answer of answers) {
      expectTruth(answer)
      expect(answer.json.status, answer.name).not.toBe('failed')
    }
  })
})

suite(`uploads of tools on a coordinator and two workers${CITUS_PREFIX ? '' : ' [CITUS_PREFIX not set]'}`, () => {
  let tools: Tools
  let studio: Studio
  beforeAll(async () => {
    tools = await openTools()
    studio = await onOneShard(tools.studio)
  })
  afterAll(() => studio?.close())
  const BUILD = { job_name: 'Package', build_number: '1' }

  test('a push gives its files a version, since its change is new there too', async () => {
    const body = push([commit('d'.repeat(40), { added: ['Content/T_Moon.png'] })])
    const headers = { 'x-github-event': 'push' }
    const path = `/webhooks/github?token=${tools.tokenOf('github')}`
    expect((await studio.ask(path, { method: 'POST', body, headers })).status).toBe(200)
    const token = studio.world.tokens!.all!.token as string
    const { assets } = (await studio.ask(`/api/v1/projects/${tools.project}/assets`, { token })).json
    expect(assets).toContainEqual(expect.objectContaining({ name: 'T_Moon.png', version: 1 }))
  })

  test('logs, test results, artifacts, share links and people send each statement to one shard', async () => {
    const post = (path: string, query: object, asking: Asking, tool = 'jenkins') =>
      studio.ask(`/webhooks/${path}?${new URLSearchParams({ ...query, token: tools.tokenOf(tool) })}`, {
        method: 'POST',
        ...asking,
      })
    const raw = (text: string, type: string) => ({ raw: text, headers: { 'content-type': type } })
    const file = { ...BUILD, name: 'Game.zip', upload: randomUUID(), size: String(ARTIFACT_PIECE_MIN + 4) }
    const answers = [
      await post('ci', {}, { body: { ...BUILD, status: 'STARTED' } }),
      await post('ci/log', { ...BUILD, offset: '0', stream: 'one' }, raw('Compiling\n', 'text/plain')),
      await post(
        'tests',
        BUILD,
        raw('<testsuite name="Ai"><testcase classname="Ai" name="walks" time="1"/></testsuite>', 'application/xml'),
      ),
      await post('artifacts', { ...file, offset: '0' }, raw('x'.repeat(ARTIFACT_PIECE_MIN), 'application/octet-stream')),
      await post('artifacts', { ...file, offset: String(ARTIFACT_PIECE_MIN) }, raw('more', 'application/octet-stream')),
      await post('ci', {}, { body: { ...BUILD, status: 'SUCCESS' } }),
      await post('people', {}, { body: { list: '... User kdoe\n... Email kim@example.com\n... FullName Kim\n\n' } }, 'perforce'),
    ]
    expect(answers.map(({ status, json }) => [status, json.status])).toEqual([
      [200, 'processed'],
      [200, 'appended'],
      [200, 'recorded'],
      [200, 'uploading'],
      [200, 'complete'],
      [200, 'processed'],
      [200, undefined],
    ])
    const token = studio.world.tokens!.all!.token as string
    const get = (path: string, headers = {}, asking: Asking = {}) =>
      studio.ask(`/api/v1/projects/${tools.project}/${path}`, { token, headers, ...asking })
    const id = answers[0]!.json.records[0].id
    const [artifact] = (await get(`build_runs/${id}/artifacts`)).json.artifacts
    const links = `build_runs/${id}/share_links`
    const link = (await get(links, {}, { method: 'POST', body: { artifact_id: artifact.id } })).json
    const shared = () => studio.ask(new URL(link.url).pathname, { headers: { range: 'bytes=-4' } })
    const downloads = [
      await get(`artifacts/${artifact.id}`, { range: 'bytes=-4' }),
      await get('artifacts/latest'),
      await get(`build_runs/${id}/log`),
      await shared(),
    ]
    expect(downloads.map(({ status, text }) => [status, text])).toEqual([
      [206, 'more'],
      [200, `${'x'.repeat(ARTIFACT_PIECE_MIN)}more`],
      [200, 'Compiling\n'],
      [206, 'more'],
    ])
    expect((await get(links)).json.share_links).toMatchObject([{ id: link.id }])
    expect((await get(`share_links/${link.id}`, {}, { method: 'DELETE' })).status).toBe(200)
    expect((await shared()).status).toBe(404)
  })
})
