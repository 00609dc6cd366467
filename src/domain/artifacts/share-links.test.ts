import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { SHARE_LINKS_MAX } from '../../contract/limits.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { purgeExpired } from '../retention/retention.ts'

/** What an account decides about the share links of its artifacts. */

const PASSWORD = 'a long enough password'
const [OFFICE, HOME] = ['203.0.113.7', '198.51.100.9']
let studio: Studio
let owner: Visitor
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
      users: [
        { key: 'owner', email: 'owner@example.com', name: 'Owner', password: PASSWORD, accounts: { owl: 'owner', fox: 'owner' } },
        { key: 'member', email: 'member@example.com', name: 'Member', accounts: { owl: 'member' } },
        { key: 'guest', email: 'guest@example.com', name: 'Guest', accounts: { owl: 'guest' } },
      ],
      projects: [
        { key: 'star', account: 'owl', name: 'Star', members: { member: 'contributor', guest: 'contributor' } },
        { key: 'den', account: 'fox', name: 'Den' },
      ],
      build_runs: [
        { key: 'star', project: 'star', status: 'completed' },
        { key: 'den', project: 'den', status: 'completed' },
      ],
      tokens: ['owner', 'member', 'guest'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
    },
    { service: { trustProxy: ['127.0.0.1'] } },
  )
  owner = await signIn(studio, 'owner@example.com', PASSWORD)
  await studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
    select account_id, project_id, id, 'Game.zip', 'one', 1, 1, now(), sha256('1') from build_runs`)
})
afterAll(() => studio.close())

const account = () => `/accounts/${studio.world.accounts.owl!.id}`
const set = (body: object) =>
  owner.app(`${account()}/security`, { method: 'PATCH', body, headers: { 'x-forwarded-for': OFFICE } })
beforeEach(async () => {
  await studio.db.execute(sql`update accounts set allowed_addresses = null`)
  expect((await set({ share_policy: 'contributors', share_days_max: 30, share_anywhere: false })).status).toBe(200)
  await studio.db.execute(sql`delete from share_links`)
})

const links = (project: string) =>
  `/api/v1/projects/${studio.world.projects[project]!.id}/build_runs/${studio.world.build_runs![project]!.id}/share_links`
async function share(user: string, more: object = {}, project = 'star') {
  const [artifact] = await studio.db.rows<{ id: string }>(sql`
    select id from artifacts where build_run_id = ${studio.world.build_runs![project]!.id}`)
  const body = { artifact_id: artifact!.id, ...more }
  return studio.ask(links(project), {
    method: 'POST',
    body,
    token: studio.world.tokens[user]!.token,
    headers: { 'x-forwarded-for': OFFICE },
  })
}
/** A head, since the artifact has no bytes here. */
const open = async (url: string, address = OFFICE) =>
  (await fetch(url.replace('https://gold.example', studio.site), { method: 'HEAD', headers: { 'x-forwarded-for': address } }))
    .status

test('an account chooses who can share, and links of others end for good', async () => {
  const made = Object.fromEntries(
    await Promise.all(['owner', 'member', 'guest'].map(async (user) => [user, (await share(user)).json.url as string])),
  )
  const others: string = (await share('owner', {}, 'den')).json.url
  const opened = async () =>
    Object.fromEntries(await Promise.all(Object.entries(made).map(async ([user, url]) => [user, await open(url as string)])))
  expect(await opened()).toEqual({ owner: 200, member: 200, guest: 200 })
  await set({ share_policy: 'members' })
  expect(await opened()).toEqual({ owner: 200, member: 200, guest: 404 })
  expect(await share('guest')).toMatchObject({ status: 403, json: { error: 'sharing_not_allowed' } })
  expect((await share('member')).status).toBe(201)
  await set({ share_policy: 'off' })
  expect(await opened()).toEqual({ owner: 404, member: 404, guest: 404 })
  expect(await share('owner')).toMatchObject({ status: 403, json: { error: 'sharing_not_allowed' } })
  expect(await open(others), 'of another account').toBe(200)
  await purgeExpired(studio.db)
  await set({ share_policy: 'contributors' })
  expect(await opened()).toEqual({ owner: 404, member: 404, guest: 404 })
  expect(await open(others)).toBe(200)
})

test('an account limits the age of links, also of older ones', async () => {
  const { json: link } = await share('member', { days: 20 })
  await studio.db.execute(sql`update share_links set created_at = created_at - interval '4 days'`)
  await set({ share_days_max: 5 })
  expect(await open(link.url)).toBe(200)
  const { json } = await studio.ask(links('star'), { token: studio.world.tokens.member!.token })
  const [shown] = json.share_links
  expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(5 * 86_400_000)
  expect(await share('member', { days: 6 })).toMatchObject({
    status: 422,
    json: { message: expect.stringContaining('at most 5') },
  })
  const usual = (await share('member')).json
  expect((Date.parse(usual.expires_at) - Date.parse(usual.created_at)) / 86_400_000).toBe(5)
  await set({ share_days_max: 3 })
  expect(await open(link.url)).toBe(404)
  expect(await open(usual.url)).toBe(200)
  for (const share_days_max of [0, 31]) expect((await set({ share_days_max })).status).toBe(422)
})

test('links obey the allowed addresses unless the account says otherwise', async () => {
  const { url } = (await share('member')).json
  const others: string = (await share('owner', {}, 'den')).json.url
  expect(await open(url, HOME)).toBe(200)
  await set({ allowed_addresses: [OFFICE] })
  expect([await open(url, OFFICE), await open(url, HOME), await open(others, HOME)]).toEqual([200, 403, 200])
  await set({ share_anywhere: true })
  expect([await open(url, OFFICE), await open(url, HOME)]).toEqual([200, 200])
})

test('changes of the settings are in the audit log with what was before', async () => {
  await set({ share_policy: 'members', share_days_max: 9 })
  const [entry] = await studio.db.rows<{ before: object; after: object }>(sql`
    select before, after from audit_log where action = 'editAccountSecurity' order by id desc limit 1`)
  expect(entry).toEqual({
    before: { share_policy: 'contributors', share_days_max: 30 },
    after: { share_policy: 'members', share_days_max: 9 },
  })
})

test('the limit of links per build holds under two requests at once', async () => {
  const { json } = await share('member')
  await studio.db.execute(sql`
    insert into share_links (account_id, project_id, artifact_id, hash, user_id, expires_at)
    select l.account_id, l.project_id, l.artifact_id, sha256(n::text::bytea), l.user_id, l.expires_at
    from share_links l, generate_series(3, ${SHARE_LINKS_MAX}::integer) n where l.id = ${json.id}`)
  let answers: Promise<Awaited<ReturnType<typeof share>>[]> | undefined
  await studio.db.transaction(async (db) => {
    // Both have begun, and neither can have written its link.
    await db.execute(sql`lock table share_links in share mode`)
    answers = Promise.all([share('member'), share('guest')])
    await until(async () => {
      const waiting = await studio.db.rows(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting.length >= 2
    })
  })
  expect((await answers!).map(({ status, json }) => json.error ?? status).sort()).toEqual([201, 'too_many_share_links'])
})
