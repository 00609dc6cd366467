import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { nightOwl } from '../../../test/support/studios/night-owl.ts'
import { type AppName, appRoutes } from '../../contract/app/routes.ts'
import type { Route } from '../../contract/routes/route.ts'
import { type Sql, sql } from '../../db/database.ts'

/** Records of other accounts get exactly the same reply as missing ones, on every web app route that names a record. */

const PASSWORD = 'a long enough password'
const NOBODYS = '2000000000'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  integrations: [{ key: 'theirs', project: 'fox', provider: 'jenkins' }],
}

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio(world)
  const rival = await signIn(studio, 'rival@example.com', PASSWORD)
  const account = `/accounts/${idOf('accounts', 'fox')}`
  const hook = { url: 'https://example.com/hook', event_types: ['build_run.*'] }
  const room = { kind: 'discord', name: 'builds', secret: 'https://discord.example/api/webhooks/1/secret' }
  const made = [
    await rival.app(`${account}/channels`, { method: 'POST', body: room }),
    await rival.app(`${account}/webhooks`, { method: 'POST', body: hook }),
    await rival.app(`${account}/invitations`, { method: 'POST', body: { email: 'new@example.com', role: 'member' } }),
    await rival.app(`${account}/views`, { method: 'PUT', body: { name: 'Mine', path: '/feed', query: '' } }),
    await rival.app('/me/connected_accounts', { method: 'POST', body: { provider: 'github', uid: 'rival-dev' } }),
    await rival.app(`/projects/${idOf('projects', 'fox')}/ugs_tokens`, { method: 'POST', body: { name: 'everybody' } }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 200, 201, 201])
  await studio.ask(`/webhooks/jenkins?token=${studio.world.integrations.theirs!.webhook_token}`, {
    method: 'POST',
    body: { job_name: 'night', build_number: 1, status: 'SUCCESS' },
  })
  await studio.db.execute(sql`
    insert into passkeys (user_id, credential_id, public_key, name) values (${rivalId()}, 'credential', 'key', 'Phone')`)
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const idOf = (kind: string, key: string) => String(studio.world[kind as 'tasks']![key]!.id)
const ofTheirs = async (query: Sql) => (await studio.db.one<{ id: string }>(query))!.id
const rivalId = () => Number(idOf('users', 'rival'))
const foxId = () => Number(idOf('accounts', 'fox'))

/** A record of the other account by the path segment before its id. */
const THEIRS: Record<string, () => string | Promise<string>> = {
  projects: () => idOf('projects', 'fox'),
  tasks: () => idOf('tasks', 'fox-task4'),
  changes: () => idOf('changes', 'fox-change4'),
  build_runs: () => idOf('build_runs', 'fox-build5'),
  assets: () => idOf('assets', 'fox-asset4'),
  approvals: () => idOf('approvals', 'fox-approval4'),
  deployments: () => idOf('deployments', 'fox-deployment4'),
  breakages: () => idOf('breakages', 'fox-breakage4'),
  corrections: () => idOf('corrections', 'fox-correction4'),
  comments: () => idOf('comments', 'fox-comment4'),
  share_links: () =>
    ofTheirs(sql`
      with artifact as (
        insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
        values (${foxId()}, ${Number(idOf('projects', 'fox'))}, ${Number(idOf('build_runs', 'fox-build5'))}, 'Fox.zip', 'one', 6, 6, now(), sha256('a game'))
        returning account_id, project_id, id
      )
      insert into share_links (account_id, project_id, artifact_id, hash, user_id, expires_at)
      select account_id, project_id, id, sha256('secret'), ${rivalId()}, now() + interval '1 day' from artifact
      returning id::text`),
  tests: () => ofTheirs(sql`select id::text from test_cases where account_id = ${foxId()}`),
  integrations: () => idOf('integrations', 'theirs'),
  imports: () =>
    ofTheirs(sql`
      insert into imports (account_id, project_id, integration_id, since, until, state)
      select account_id, project_id, id, now(), now(), 'done' from integrations where id = ${Number(idOf('integrations', 'theirs'))}
      returning id::text`),
  deliveries: () =>
    ofTheirs(sql`select id::text from deliveries where integration_id = ${Number(idOf('integrations', 'theirs'))}`),
  people: () => idOf('users', 'rival'),
  members: () => idOf('users', 'rival'),
  tokens: () => idOf('tokens', 'rival'),
  sessions: () => ofTheirs(sql`select id::text from sessions where user_id = ${rivalId()}`),
  passkeys: () => ofTheirs(sql`select id::text from passkeys where user_id = ${rivalId()}`),
  connected_accounts: () => ofTheirs(sql`select id::text from connected_accounts where user_id = ${rivalId()}`),
  invitations: () => ofTheirs(sql`select id::text from invitations where account_id = ${foxId()}`),
  ugs_tokens: () => ofTheirs(sql`select id::text from ugs_tokens where account_id = ${foxId()}`),
  views: () => ofTheirs(sql`select id::text from saved_views where user_id = ${rivalId()}`),
  channels: () => ofTheirs(sql`select id::text from destinations where account_id = ${foxId()} and kind <> 'webhook'`),
  webhooks: () => ofTheirs(sql`select id::text from destinations where account_id = ${foxId()} and kind = 'webhook'`),
}
/** Bodies that are validated before the record is looked up. */
const BODIES: Partial<Record<AppName, unknown>> = {
  editAccountMember: { role: 'member' },
  setProjectMember: { project_role: 'viewer' },
  deleteProject: { name: 'Fox' },
  correctBuild: { category: 'network' },
  startImport: { days: 1 },
  createTaskComment: { body: 'Seen' },
  createBuildComment: { body: 'Seen' },
  createBreakageComment: { body: 'Seen' },
  createChangeComment: { body: 'Seen' },
  createAssetComment: { body: 'Seen' },
  createDeploymentComment: { body: 'Seen' },
  editComment: { body: 'Seen' },
  attachToComment: 'a file',
  resolveComment: { resolved: true },
  uploadPreview: 'a file',
  reactToComment: { reaction: '👀', on: true },
  switchWriteBack: { write_back: false },
  setPlaces: { every_place: true },
  reviseTask: { seen: { title: 'Task 4' }, task: { title: 'Mine now' } },
}

/** The same request for a record of the other account, and for a missing one. */
async function both(name: AppName, { path, method }: Route, fill: (theirs: boolean) => Promise<string>) {
  const body = BODIES[name] ?? {}
  const ask = async (theirs: boolean) => {
    const { status, text } = await lead.app((await fill(theirs)).slice(3), { method, ...(method === 'GET' ? {} : { body }) })
    return { path, status, text }
  }
  return [await ask(true), await ask(false)] as const
}

const all = (Object.entries(appRoutes) as [AppName, Route][]).filter(([, route]) => route.role !== 'anyone')
const placed = all.filter(([, { path }]) => /:(project|account)_id/.test(path))

test.each(placed)('%s returns the same for another account as for a missing one', async (name, route) => {
  const [theirs, nobodys] = await both(name, route, async (foreign) =>
    route.path
      .replace(':project_id', foreign ? idOf('projects', 'fox') : NOBODYS)
      .replace(':account_id', foreign ? idOf('accounts', 'fox') : NOBODYS)
      .replace(/:\w+/g, '1'),
  )
  expect(theirs.status).toBe(404)
  expect(theirs).toEqual(nobodys)
})

/** The path segment before the first record id. */
const kindOf = ({ path }: Route) => /(\w+)\/:(?!project_id|account_id)/.exec(path)?.[1]
/** An invitation is found by its token, and rules are named by their account. */
const named = /^\/v1\/invitations\/|\/failure_rules\//
const withRecord = all.filter(([, route]) => kindOf(route) && !named.test(route.path))

test.each(withRecord)(
  "%s returns the same for another account's record in one's own project as for a missing one",
  async (name, route) => {
    const id = await THEIRS[kindOf(route)!]!()
    const none = /^\d+$/.test(id) ? NOBODYS : randomUUID()
    const [theirs, nobodys] = await both(name, route, async (foreign) =>
      route.path
        .replace(':project_id', idOf('projects', 'star'))
        .replace(':account_id', idOf('accounts', 'owl'))
        .replace(/:\w+/, foreign ? id : none)
        .replace(/:\w+/g, '1'),
    )
    // The person to add to a project is a value rather than a record.
    expect(theirs.status).toBe(name === 'setProjectMember' ? 422 : 404)
    expect(theirs).toEqual(nobodys)
  },
)
