import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { commit, push } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { levelOf } from './levels.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, account: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { [account]: 'owner' },
})
const EVERYTHING = [{ stages: [{ name: 'art' }] }]

let studio: Studio
let lead: Visitor
let stranger: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [person('lead', 'owl'), person('stranger', 'fox')],
    projects: ['star', 'city'].map((key) => ({
      key,
      account: 'owl',
      name: key,
      members: { lead: 'owner' },
      approval_rules: EVERYTHING,
    })),
    integrations: ['star', 'city'].map((key) => ({ key, project: key, provider: 'github' })),
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  stranger = await signIn(studio, 'stranger@example.com', PASSWORD)
})
afterAll(() => studio?.close())

let made = 0
async function change(
  key: string,
  files: string[],
  { by = 'Mia Sol <mia@example.com>', branch = 'main', modified = [] as string[] } = {},
) {
  const sha = String(++made).padStart(40, 'e')
  const [, name, email] = /^(.*) <(.*)>$/.exec(by)!
  const body = push([commit(sha, { added: files, modified, author: { name, email } })], { ref: `refs/heads/${branch}` })
  const token = studio.world.integrations[key]!.webhook_token
  const { status } = await studio.ask(`/webhooks/github?token=${token}`, {
    method: 'POST',
    body,
    headers: { 'x-github-event': 'push' },
  })
  expect(status).toBe(200)
}
const placeOf = (key: string) => `/projects/${studio.world.projects[key]!.id}`
const page = async (key: string, query = '') => (await lead.app(`${placeOf(key)}/approvals?queue=true${query}`)).json
const names = async (key: string, query = '') =>
  (await page(key, query)).approvals.map(({ asset_name }: { asset_name: string }) => asset_name) as string[]
const actor = (level: string, i: number) => `Content/__ExternalActors__/Maps/${level}/A/0B/${String(i).padStart(22, 'X')}.uasset`

test.each([
  [actor('L_City', 1), 'Content/Maps/L_City'],
  ['//game/main/Content/__ExternalObjects__/Maps/L_City/0/1A/ABC.uasset', '//game/main/Content/Maps/L_City'],
  ['Content\\__externalactors__\\L_City\\0\\1A\\ABC.uasset', 'Content/L_City'],
  ['Content/__ExternalActors__/0/1A/ABC.uasset', undefined],
  ['Content/__ExternalActors__/L_City/0/1A/ABC.txt', undefined],
  ['Content/Maps/L_City.umap', undefined],
])('%s is a part of the level %s', (path, level) => {
  expect(levelOf(path)).toBe(level)
})

test('the queue filters by type, author, branch, stage and path, alone and together', async () => {
  await change('star', ['Content/Art/T_Sky.png', 'Content/Art/SM_Rock.fbx'])
  await change('star', ['Content/UI/T_Icon_1.png'], { by: 'Kim Doe <kim@example.com>', branch: 'art' })
  expect(await names('star', '&asset_type=model')).toEqual(['SM_Rock.fbx'])
  expect(await names('star', '&author=Kim%20Doe')).toEqual(['T_Icon_1.png'])
  expect(await names('star', '&author=kim@example.com')).toEqual([])
  expect(await names('star', '&branch=refs/heads/art')).toEqual(['T_Icon_1.png'])
  expect(await names('star', '&stage=art')).toHaveLength(3)
  expect(await names('star', '&stage=tech')).toEqual([])
  expect(await names('star', '&path=content/art')).toHaveLength(2)
  expect(await names('star', '&path=ui/*icon')).toEqual(['T_Icon_1.png'])
  expect(await names('star', '&path=t%25icon')).toEqual([])
  expect(await names('star', '&path=art&asset_type=texture&author=Mia%20Sol')).toEqual(['T_Sky.png'])
  expect((await page('star')).approvals[0].queue).toMatchObject({
    author: 'Kim Doe',
    branch: 'art',
    rule: { stages: [{ name: 'art', project_role: 'approver', approvals: 1 }] },
    stage_number: 0,
    sign_offs: [],
    level: null,
    parts: 1,
  })
})

test('pages follow each other without gaps or repeats, also where a filter drops most rows', async () => {
  const files = Array.from({ length: 1_200 }, (_, i) => `Content/Deep/${i % 400 === 399 ? 'Rare' : 'Usual'}/T_${i}.png`)
  await change('city', files)
  await change('city', [actor('L_Old', 1), actor('L_Old', 2)])
  const walked = async (query: string) => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { approvals, pagination } = await page('city', `${query}${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...approvals.map((one: { asset_id: string }) => one.asset_id))
      cursor = pagination.next_cursor
    } while (cursor)
    expect(new Set(seen).size).toBe(seen.length)
    return seen.length
  }
  expect(await walked('&limit=50')).toBe(1_201)
  expect(await walked('&path=rare&limit=2')).toBe(3)
  expect(await walked('&asset_type=level')).toBe(1)
})

test('5,000 files of one level are one row', async () => {
  await change(
    'city',
    Array.from({ length: 5_000 }, (_, i) => actor('L_City', i)),
  )
  const { approvals } = await page('city', '&path=l_city')
  expect(approvals).toHaveLength(1)
  expect(approvals[0].queue).toMatchObject({ level: 'Content/Maps/L_City', parts: 5_000 })
})

test('the files of a level are decided and undone at once', async () => {
  await change(
    'star',
    Array.from({ length: 1_000 }, (_, i) => actor('L_City', i)),
  )
  const rows = (await page('star', '&asset_type=level')).approvals
  expect(rows).toHaveLength(1)
  const { level, parts, seen_at } = rows[0].queue
  expect({ level, parts }).toEqual({ level: 'Content/Maps/L_City', parts: 1_000 })
  // Somebody submits one more, and changes another, while the approver looks at the row.
  await change('star', [actor('L_City', 1_000)], { modified: [actor('L_City', 7)] })
  const decide = (who: Visitor, more: object) =>
    who.app(`${placeOf('star')}/approvals/bulk`, {
      method: 'POST',
      body: { status: 'approved', levels: [{ level, seen_at }], ...more },
    })
  expect((await decide(stranger, {})).status).toBe(404)
  const { status, json } = await decide(lead, {})
  expect(status).toBe(200)
  expect([json.decided, json.approvals.length]).toEqual([999, 200])
  expect((await page('star', '&asset_type=level')).approvals[0].queue.parts).toBe(2)
  // However long the requests took on a slow machine.
  await studio.db.execute(sql`
    update approvals set decided_at = now(), updated_at = now() where account_id = ${studio.world.accounts.owl!.id} and decided_at is not null and level = ${level}`)
  const undone = await lead.app(`${placeOf('star')}/approvals/undo`, { method: 'POST', body: { levels: [level] } })
  expect(undone.json).toMatchObject({ undone: 999 })
  expect((await page('star', '&asset_type=level')).approvals[0].queue.parts).toBe(1_001)
  const entries = await studio.db.rows(sql`
    select action, after from audit_log where action in ('decideAssets', 'undoDecisions') order by id desc limit 2`)
  expect(entries).toEqual([
    { action: 'undoDecisions', after: { ids: [], levels: [level] } },
    { action: 'decideAssets', after: { ids: [], status: 'approved', levels: [level] } },
  ])
  // The history of each file has it, and only of those that were decided.
  const kindsOf = async (n: number) => {
    const asset = await studio.db.one<{ id: string }>(sql`
      select id from assets where project_id = ${studio.world.projects.star!.id} and path = ${actor('L_City', n)}`)
    const { history } = (await lead.app(`${placeOf('star')}/assets/${asset!.id}/history`)).json
    return history.map(({ kind }: { kind: string }) => kind)
  }
  expect((await kindsOf(3))[0]).toBe('decision_undone')
  for (const n of [7, 1_000]) expect(await kindsOf(n)).not.toContain('decision_undone')
})

test('5,000 files of one level are decided at once', async () => {
  await change(
    'star',
    Array.from({ length: 5_000 }, (_, i) => actor('L_Harbor', i)),
  )
  const [row, ...others] = (await page('star', '&path=l_harbor')).approvals
  expect(others).toEqual([])
  const { level, seen_at } = row.queue
  const { json } = await lead.app(`${placeOf('star')}/approvals/bulk`, {
    method: 'POST',
    body: { status: 'approved', levels: [{ level, seen_at }] },
  })
  expect(json.decided).toBe(5_000)
  expect((await page('star', '&path=l_harbor')).approvals).toEqual([])
})

test('a bulk decision about nothing decides nothing', async () => {
  const bulk = (body: object) =>
    lead.app(`${placeOf('star')}/approvals/bulk`, { method: 'POST', body: { status: 'approved', ...body } })
  expect((await bulk({})).json).toEqual({ approvals: [], decided: 0, newer: [] })
  expect((await bulk({ levels: [{ level: 'Content/Maps/Nowhere', seen_at: new Date().toISOString() }] })).json.decided).toBe(0)
  expect((await bulk({ levels: [{ level: 'Content/Maps/L_City', seen_at: 'now' }] })).status).toBe(422)
})

test('the queue of one author is read from an index, however many others wait', async () => {
  const [account, project] = [studio.world.accounts.owl!.id, studio.world.projects.star!.id]
  let plan = ''
  const stop = new Error('nothing of this is kept')
  await studio.db
    .transaction(async (db) => {
      await db.execute(sql`
        insert into approvals (account_id, project_id, asset_id, asset_name, author)
        select a.account_id, a.project_id, a.id, a.name, 'Someone ' || n % 50
        from (select * from assets where project_id = ${project} limit 1) a, generate_series(1, 5000) n`)
      await db.execute(sql`analyze approvals`)
      const rows = await db.rows<{ 'QUERY PLAN': string }>(sql`
        explain select p.* from approvals p
        where p.account_id = ${account} and p.project_id = ${project} and p.status = 'pending' and p.level is null and p.author = 'Someone 7'
        order by p.created_at desc, p.id desc limit 51`)
      plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      throw stop
    })
    .catch((error: unknown) => {
      if (error !== stop) throw error
    })
  expect(plan).toContain('approvals_waiting_author')
  expect(plan).not.toContain('Sort')
})
