import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'
import { sql } from './database.ts'

let studio: Studio
const { id, inside } = visitor(() => studio)
const N = 2_400

/** Three rows at a time share their time, over three weeks. The oldest half was updated at once, a hundredth of all here and there. */
beforeAll(async () => {
  studio = await openStudio(workshop)
  const project = Number(id('projects', 'star'))
  const [account] = await studio.db.rows<{ account_id: number }>(sql`select account_id from projects where id = ${project}`)
  const frame = sql`(
    select n, at, case when n % 100 = 7 then timestamptz '2026-04-02' when n <= ${N / 2} then timestamptz '2026-04-01' else at end as edited
    from (select n, timestamptz '2026-03-01' + n / 3 * interval '40 minutes' as at from generate_series(1, ${N}::integer) n) g) g`
  const place = sql`${account!.account_id}::integer, ${project}::integer`
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title, state, created_at, updated_at)
    select ${place}, 'Task ' || n, case n % 3 when 0 then 'to_do' when 1 then 'blocked' else 'completed' end, at, edited from ${frame}`)
  await studio.db.execute(sql`
    insert into changes (account_id, project_id, identifier, source_type, timestamp, updated_at, orphaned_at)
    select ${place}, n::text, 'Changelist', at, edited, case when n % 10 = 0 then at end from ${frame}`)
  await studio.db.execute(sql`
    insert into deployments (account_id, project_id, platform, created_at, updated_at)
    select ${place}, case n % 2 when 0 then 'steam' else 'custom' end, at, edited from ${frame}`)
  await studio.db.execute(sql`
    insert into assets (id, account_id, project_id, name, path, asset_type) select md5(n::text)::uuid, ${place}, 'A' || n, 'A' || n, 'texture' from ${frame}`)
  await studio.db.execute(sql`
    insert into approvals (account_id, project_id, asset_id, status, created_at, updated_at)
    select ${place}, md5(n::text)::uuid, case n % 3 when 0 then 'pending' when 1 then 'denied' else 'approved' end, at, edited from ${frame}`)
})
afterAll(() => studio.close())

interface Row {
  id: string
  updated_at: string
}

const LISTS = [
  ['tasks', ''],
  ['tasks', 'state=to_do'],
  ['tasks', 'state=to_do,blocked'],
  ['changes', ''],
  ['changes', 'source_type=Changelist'],
  ['changes', 'orphaned=true'],
  ['deployments', ''],
  ['deployments', 'platform=steam'],
  ['approvals', ''],
  ['approvals', 'status=denied'],
  ['approvals', 'status=pending,denied'],
] as const

describe.each(LISTS)('%s %s updated since', (list, filter) => {
  const page = async (query: string): Promise<{ rows: Row[]; next: string | null }> => {
    const { status, json } = await inside(`/${list}?${filter}&${query}`)
    expect(status).toBe(200)
    return { rows: json[list], next: json.pagination.next_cursor }
  }
  const walk = async (query: string, most: number): Promise<Row[]> => {
    const rows: Row[] = []
    for (let cursor: string | null = ''; cursor !== null && rows.length < most; ) {
      const next = await page(`${query}&limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      rows.push(...next.rows)
      cursor = next.next
    }
    return rows
  }

  let everything: Row[]
  beforeAll(async () => {
    everything = await walk('', N)
  })

  test.each([
    ['a few', '2026-04-02', N],
    ['many, all of them old', '2026-04-01', 200],
    ['all', '2020-01-01', 200],
    ['none', '2026-05-01', N],
  ])('%s: the same rows in the same order as without the filter', async (_, since, most) => {
    const rows = await walk(`updated_since=${since}`, most)
    const all = everything.filter(({ updated_at }) => updated_at >= `${since}T00:00:00.000Z`)
    expect(rows.map((row) => row.id)).toEqual(all.slice(0, rows.length).map((row) => row.id))
    expect(rows.length).toBe(Math.min(all.length, Math.max(most, rows.length)))
  })
})
