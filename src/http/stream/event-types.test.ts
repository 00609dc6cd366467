import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listening, listen } from '../../../test/support/callers/listening.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../../contract/events.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as outbox from '../../domain/feed/outbox.ts'
import { enqueueMessages } from '../../domain/webhooks/webhook-messages.ts'
import * as webhooks from '../../domain/webhooks/webhooks.ts'

let studio: Studio
let all: Listening
let plain: Listening
const queues = {} as Record<EventType | 'feed', number>
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    assets: [{ key: 'crate', project: 'star', name: 'T_Crate.png', path: 'T_Crate.png', asset_type: 'texture' }],
  })
  const token = studio.world.tokens!.kim!.token as string
  const subscribe = async (event_types: string[]) =>
    (
      await webhooks.create(studio.db, studio.service.vault, {
        account_id: account(),
        url: 'https://away.example/',
        event_types,
      })
    ).id
  for (const type of EVENT_TYPES) queues[type] = await subscribe([type])
  queues.feed = await subscribe([])
  plain = await listen({ site: studio.site, token })
  all = await listen({ site: studio.site, token, query: 'include=all' })
})
afterAll(async () => {
  all.stop()
  plain.stop()
  await studio.close()
})

const account = () => studio.world.accounts!.owl!.id as number
const project = () => studio.world.projects!.star!.id as number
const run = (...statements: ReturnType<typeof sql>[]) =>
  statements.reduce((before, statement) => before.then(() => studio.db.execute(statement)), Promise.resolve(0))

const build = (status: string) => sql`
  insert into build_runs (account_id, project_id, status, ci_job_name, build_number) values (${account()}, ${project()}, ${status}, 'Night', '7')`
const approval = (status: string) => sql`
  insert into approvals (account_id, project_id, asset_id, status) values (${account()}, ${project()}, ${studio.world.assets!.crate!.id}, ${status})`

const breakage = (state: string) => sql`
  with before as (delete from breakages)
  insert into breakages (account_id, project_id, fingerprint, state, jobs, cause, opened_at, last_seen_at)
  values (${account()}, ${project()}, 'f', ${state}, '{Night}', 'The disk is full.', now(), now())`

/** How to cause each event; the last statement causes it. */
const CAUSES: Record<EventType, () => ReturnType<typeof sql>[]> = {
  'build_run.completed': () => [build('queued'), sql`update build_runs set status = 'completed' where status = 'queued'`],
  'build_run.failed': () => [build('failed')],
  'build_run.started': () => [
    build('queued'),
    sql`update build_runs set status = 'preparing' where status = 'queued'`,
    sql`update build_runs set status = 'building' where status = 'preparing'`,
  ],
  'build_run.progressed': () => [
    build('building'),
    sql`update build_runs set phase = 'Cooking', progressed_at = now() where id = (select max(id) from build_runs)`,
  ],
  'build_run.lost': () => [
    build('building'),
    sql`update build_runs set lost_at = now() where id = (select max(id) from build_runs)`,
  ],
  'build_run.fixed': () => [
    build('completed'),
    sql`update build_runs set fixed_build_run_id = 1 where id = (select max(id) from build_runs)`,
  ],
  'investigation.completed': () => [
    build('failed'),
    sql`insert into investigations (account_id, build_run_id, status) select account_id, id, 'running' from build_runs limit 1`,
    sql`update investigations set status = 'completed', diagnosis = 'The disk is full.'`,
  ],
  'breakage.opened': () => [breakage('open')],
  'breakage.claimed': () => [breakage('open'), sql`update breakages set state = 'claimed'`],
  'breakage.muted': () => [breakage('open'), sql`update breakages set state = 'muted'`],
  'breakage.fixed': () => [breakage('open'), sql`update breakages set state = 'fixed'`],
  'breakage.reopened': () => [breakage('fixed'), sql`update breakages set state = 'open', reopenings = 1`],
  'breakage.withdrawn': () => [breakage('open'), sql`update breakages set state = 'withdrawn'`],
  'change.submitted': () => [
    sql`insert into changes (account_id, project_id, identifier, source_type, author, description)
      values (${account()}, ${project()}, 'abc', 'GitCommit', 'Kim <kim@example.com>', 'Paint the crate')`,
  ],
  'task.state_changed': () => [
    sql`insert into tasks (account_id, project_id, title) values (${account()}, ${project()}, 'Cook')`,
  ],
  'approval.requested': () => [approval('pending')],
  'approval.granted': () => [approval('approved')],
  'approval.denied': () => [approval('denied')],
  'approval.ignored': () => [approval('ignored')],
  'deployment.created': () => [
    sql`insert into deployments (account_id, project_id, platform, version) values (${account()}, ${project()}, 'steam', '1.0')`,
  ],
  'measure.alerted': () => [
    sql`insert into measure_alerts (account_id, project_id, kind, budget, measure, platform, unit, job, branch, value, allowed, build_run_id)
      values (${account()}, ${project()}, 'exceeded', '{}', 'package', 'Win64', 'bytes', 'Night', 'main', 5, 4, 1)`,
  ],
  'comment.created': () => [
    sql`insert into comments (account_id, project_id, asset_id, body)
      values (${account()}, ${project()}, ${studio.world.assets!.crate!.id}, 'Too dark')`,
  ],
  'comment.updated': () => [sql`update comments set updated_at = now() + interval '1 second'`],
  'preview.ready': () => [
    sql`insert into previews (account_id, project_id, asset_id, version, state, kind)
      values (${account()}, ${project()}, ${studio.world.assets!.crate!.id}, 1, 'ready', 'text')`,
  ],
  'preview.unavailable': () => [
    sql`insert into previews (account_id, project_id, asset_id, version)
      values (${account()}, ${project()}, ${studio.world.assets!.crate!.id}, 2)`,
    sql`update previews set state = 'none', reason = 'The file is empty.' where version = 2`,
  ],
  'deployment.updated': () => [
    sql`insert into deployments (account_id, project_id, platform, version) values (${account()}, ${project()}, 'steam', '1.1')`,
    sql`update deployments set status = 'live' where version = '1.1'`,
  ],
}

const queued = async (id: number) =>
  (
    await studio.db.rows<{ type: string }>(sql`select event_type as type from messages where destination_id = ${id} order by id`)
  ).map(({ type }) => type)

describe.each(EVENT_TYPES)('%s', (type) => {
  test('is sent to clients that want it, and only to them', async () => {
    const [heard, heardPlain] = [all.events.length, plain.events.length]
    const before = (await queued(queues.feed)).length
    const causes = CAUSES[type]()
    await run(...causes)
    await run(sql`insert into tasks (account_id, project_id, title) values (${account()}, ${project()}, 'the end')`)
    const isEnd = ({ message }: { message: string }) => message.includes('the end')
    const until = async (listening: Listening, from: number) => {
      for (let more = from + 1; !listening.events.slice(from).some(isEnd); more++) await listening.until(more)
      return listening.events.slice(from).filter((event) => !isEnd(event))
    }
    const own = (await until(all, heard)).filter((event) => (event.event_type as EventType) === type)
    expect(own).toHaveLength(1)
    expect(own[0]).toMatchObject({
      project_name: 'Starfall',
      message: expect.stringMatching(/\S+ \S+/),
      target_ref: expect.stringMatching(/\S/),
      url: expect.stringMatching(/^\/projects\/\d+\/[a-z]+\/\S+$/),
    })
    expect(JSON.stringify(own)).not.toMatch(/undefined|null|@/)
    const told = (await until(plain, heardPlain)).map(({ event_type }) => event_type as EventType)
    expect(told.includes(type)).toBe(EVENTS[type].feed)
    while (await enqueueMessages(studio.db));
    expect(await queued(queues[type])).toContain(type)
    expect(new Set(await queued(queues[type])).size).toBe(1)
    expect((await queued(queues.feed)).slice(before).includes(type)).toBe(EVENTS[type].feed)
    const list = await studio.ask(`/api/v1/workspace/events?event_type=${type}`, {
      token: studio.world.tokens!.kim!.token as string,
    })
    expect(list.status).toBe(EVENTS[type].feed ? 200 : 422)
    if (EVENTS[type].feed)
      expect(list.json.events).toContainEqual(expect.objectContaining({ event_type: type, message: own[0]!.message }))
  })
})

test('an internal event is in no stream, webhook or feed, and blocks none of them', async () => {
  const from = all.events.length
  const token = studio.world.tokens!.kim!.token as string
  for (const type of outbox.INTERNAL_EVENT_TYPES)
    await outbox.append(studio.db, type, sql`select ${account()}::integer, ${project()}::integer, 1`)
  await run(sql`insert into tasks (account_id, project_id, title) values (${account()}, ${project()}, 'after it')`)
  await all.until(from + 1)
  expect(all.events.slice(from).map(({ message }) => message)).toEqual([expect.stringContaining('after it')])
  while (await enqueueMessages(studio.db));
  const internal = sql`select from messages where event_type = any (${outbox.INTERNAL_EVENT_TYPES}::text[])`
  expect(await studio.db.execute(internal)).toBe(0)
  expect(await queued(queues['task.state_changed'])).toContain('task.state_changed')
  const { json } = await studio.ask('/api/v1/workspace/events?limit=1', { token })
  expect(json.events[0].message).toContain('after it')
  for (const type of outbox.INTERNAL_EVENT_TYPES) {
    expect((await studio.ask(`/api/v1/workspace/events?event_type=${type}`, { token })).status).toBe(422)
    expect(EVENT_TYPES).not.toContain(type)
  }
})

test('quick successions are sent with the state of each time', async () => {
  const from = all.events.length
  await run(
    sql`insert into tasks (account_id, project_id, title, state) values (${account()}, ${project()}, 'Quick', 'to_do')`,
    ...['in_progress', 'blocked', 'completed'].map(
      (state, index) => sql`
        update tasks set state = ${state}, updated_at = now() + make_interval(secs => ${index + 1}) where title = 'Quick'`,
    ),
  )
  await all.until(from + 4)
  expect(all.events.slice(from).map(({ message }) => message.replace(/^.* is /, ''))).toEqual([
    'to do',
    'in progress',
    'blocked',
    'completed',
  ])
})

test('the documentation lists every type', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8')
  for (const type of EVENT_TYPES) expect(page).toContain(`\`${type}\``)
})
