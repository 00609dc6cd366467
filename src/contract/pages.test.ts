import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, openStudio, type Studio } from '../../test/support/studio.ts'
import { asker, inProject, paged } from '../../test/support/studios/every-route.ts'
import { nightOwl, ROWS } from '../../test/support/studios/night-owl.ts'
import { sql } from '../db/database.ts'
import type { RouteName } from './routes.ts'

/** Rules of every list are tested for every list. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  await studio.db.execute(sql`
    insert into previews (account_id, project_id, asset_id, version)
    select account_id, project_id, id, number from assets, generate_series(1, ${ROWS}::integer) number
    on conflict (account_id, asset_id, version) do nothing`)
  // A few at one time, so that pages end among them.
  await studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
    select account_id, project_id, id, number || '.zip', 'once', 1, 1, timestamptz '2026-10-03' + number / 4 * interval '1 second', sha256('1')
    from build_runs, generate_series(1, ${ROWS}::integer) number where id = any (${[id('build_runs', 'build4'), id('build_runs', 'moon-build4')]}::bigint[])`)
})
afterAll(() => studio.close())

const { id, tokenOf, recordOf, pathOf, ask } = asker(() => studio)
/** The list of another project. */
const moonOf = (name: RouteName) => pathOf(name, id('projects', 'moon'), recordOf(name, 'moon-'))

describe.each(paged)('%s: pages', (name) => {
  const key = (answer: Answer) => Object.keys(answer.json).find((field) => field !== 'pagination')!

  async function walk(query: string, between = async () => {}): Promise<unknown[]> {
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await ask(name, `${moonOf(name)}?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      expect(answer.status).toBe(200)
      seen.push(...answer.json[key(answer)].map((item: { id: unknown }) => item.id))
      const { has_more, next_cursor } = answer.json.pagination
      expect(next_cursor === null).toBe(!has_more)
      cursor = next_cursor
      await between()
    }
    return seen
  }

  test('pages of every size give the same rows, ties included', async () => {
    const whole = await walk('limit=50')
    expect(whole).toHaveLength(ROWS)
    expect(new Set(whole).size).toBe(ROWS)
    for (const limit of [1, 2, 7, 22, 23]) expect(await walk(`limit=${limit}`)).toEqual(whole)
  })

  test('paging during inserts misses and repeats nothing that was there', async () => {
    const before = await walk('limit=50')
    const walked = await walk('limit=4', () => insertBeside())
    expect(walked.filter((one) => before.includes(one))).toEqual(before)
    await studio.db.execute(sql`delete from approvals where comments = 'inserted'`)
    await studio.db.execute(sql`delete from deployments where version = 'inserted'`)
    await studio.db.execute(sql`delete from changes where description = 'inserted'`)
    await studio.db.execute(sql`delete from tasks where title = 'inserted'`)
  })

  /** New rows at the top and among old ones. */
  async function insertBeside() {
    const project = Number(id('projects', 'moon'))
    const account = Number(id('accounts', 'owl'))
    const asset = id('assets', 'moon-asset3')
    for (const at of ['2026-11-01T00:00:00Z', '2026-10-03T12:00:00Z']) {
      await studio.db.execute(
        sql`insert into tasks (account_id, project_id, title, created_at) values (${account}, ${project}, 'inserted', ${at})`,
      )
      await studio.db.execute(
        sql`insert into deployments (account_id, project_id, platform, version, created_at) values (${account}, ${project}, 'custom', 'inserted', ${at})`,
      )
      await studio.db.execute(
        sql`insert into approvals (account_id, project_id, asset_id, comments, created_at) values (${account}, ${project}, ${asset}, 'inserted', ${at})`,
      )
      await studio.db.execute(sql`
        insert into changes (account_id, project_id, identifier, source_type, description, timestamp)
        values (${account}, ${project}, gen_random_uuid()::text, 'GitCommit', 'inserted', ${at})`)
    }
  }

  test('a cursor that was changed, invented, or belongs to another list or project is 400', async () => {
    const { json } = await ask(name, `${pathOf(name)}?limit=2`)
    const cursor: string = json.pagination.next_cursor
    const other = paged.find(([otherName]) => otherName !== name)![0]
    const foreign = (await ask(other, `${pathOf(other)}?limit=2`)).json.pagination.next_cursor
    const sibling = (await ask(name, `${moonOf(name)}?limit=2`)).json.pagination.next_cursor
    const flipped = `${cursor.slice(0, 9)}${cursor[9] === 'A' ? 'B' : 'A'}${cursor.slice(10)}`
    for (const wrong of ['', 'x', flipped, `${cursor}A`, `${cursor}=`, cursor.slice(1), foreign, sibling, '%00', 'e30'])
      expect(await ask(name, `${pathOf(name)}?cursor=${encodeURIComponent(wrong)}`), wrong).toMatchObject({
        status: 400,
        json: { error: 'invalid_cursor', message: expect.any(String) },
      })
  })

  test('an invalid cursor is reported only to callers who may read the list', async () => {
    expect((await ask(name, `${pathOf(name)}?cursor=x`, { token: tokenOf('revoked') })).status).toBe(401)
    expect((await ask(name, `${pathOf(name, id('projects', 'fox'))}?cursor=x`)).status).toBe(404)
  })
})

describe.each(inProject.filter(([, route]) => 'limit' in route.query))('%s: limit', (name) => {
  const pagination = async (query: string) => (await ask(name, `${pathOf(name)}?${query}`)).json.pagination

  test('is 20 by default, at most 50', async () => {
    // A record of this world has a short history, and its project many comments.
    const [isLong, isShort] = [!name.endsWith('History'), name !== 'listComments']
    expect(await pagination('')).toMatchObject({ limit: 20, ...(isLong && { has_more: true }) })
    expect(await pagination('limit=3')).toMatchObject({ limit: 3, ...(isLong && { has_more: true }) })
    expect(await pagination('limit=51')).toMatchObject({ limit: 50, ...(isShort && { has_more: false }) })
    expect(await pagination('limit=99999999999999999999999')).toMatchObject({ limit: 50 })
  })

  test('is a positive integer', async () => {
    for (const limit of ['0', '00', '-1', 'abc', '1.5', '1e3', '', '%205', '5%20', '%2B5', '0x10', '٣', 'NaN'])
      expect(await ask(name, `${pathOf(name)}?limit=${limit}`), limit).toMatchObject({
        status: 422,
        json: { error: 'invalid_parameter' },
      })
  })
})

describe.each(inProject.filter(([, route]) => 'updated_since' in route.query))('%s: updated_since', (name) => {
  const ask_ = (value: string) => ask(name, `${pathOf(name)}?limit=50&updated_since=${encodeURIComponent(value)}`)

  test('accepts a timestamp or a date', async () => {
    for (const value of [
      '2026-10-01',
      '2026-10-01T00:00',
      '2026-10-01T00:00:00Z',
      '2026-10-01T00:00:00.123456Z',
      '2026-10-01T02:00:00+02:00',
      '2026-01-01T00:00:00-0500',
    ])
      expect((await ask_(value)).status, value).toBe(200)
  })

  test('refuses an invalid time', async () => {
    for (const value of [
      '',
      'yesterday',
      '2026-02-30',
      '2026-13-01',
      '2026-10-01T25:00:00Z',
      '2026-10-01 00:00:00',
      '2026-10-01T00:00:00 02:00',
      '1759276800',
      '2026',
      '2026-10',
      '0000-01-01',
      '2026-10-01T00:00:00+99:00',
    ])
      expect(await ask_(value), value).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
  })

  test('returns what was updated then or later', async () => {
    const items = async (value: string) => Object.values((await ask_(value)).json)[0] as { updated_at: string }[]
    const times = (await items('2000-01-01')).map((item) => item.updated_at).sort()
    const middle = times[Math.floor(times.length / 2)]!
    expect((await items(middle)).length).toBe(times.filter((time) => time >= middle).length)
    expect(await items('2100-01-01')).toEqual([])
  })
})
