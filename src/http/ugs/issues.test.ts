import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { sequenceAll } from '../../domain/feed/sequencer.ts'
import { readOutbox } from '../../domain/inbox/outbox-readers.ts'
import * as tokens from '../../domain/ugs/tokens.ts'

const STREAM = '//ue5/main'

let studio: Studio
let root: string
beforeAll(async () => {
  const person = (key: string, uid: string) => ({
    key,
    email: `${key}@example.com`,
    name: key,
    accounts: { owl: 'owner' },
    connected_accounts: [{ provider: 'perforce', uid }],
  })
  const build = (key: string, changelist: string, project = 'star') => ({
    key,
    project,
    status: 'failed',
    ci_job_name: 'Editor',
    changelist,
    branch: STREAM,
  })
  const changed = { project: 'star', source_type: 'Changelist', author: 'anna', branches: [STREAM] }
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [person('anna', 'Anna'), person('ben', 'ben')],
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'moon', account: 'owl', name: 'Moon' },
    ],
    changes: [
      { key: 'bad', identifier: '105', ...changed },
      { key: 'fix', identifier: '120', ...changed },
    ],
    integrations: [{ key: 'p4', project: 'star', provider: 'perforce' }],
    build_runs: [build('red', '110'), build('theirs', '110', 'moon')],
    breakages: [
      {
        key: 'ours',
        project: 'star',
        builds: ['red'],
        jobs: ['Editor'],
        branch: STREAM,
        cause: 'The compiler stopped.',
        evidence: [{ line: 4, text: 'Door.cpp(4): error C2065, ask owner@example.com' }],
        suspects: ['bad'],
        first_bad_change: 'bad',
        opened_at: '2026-10-01T10:00:00Z',
      },
      { key: 'theirs', project: 'moon', builds: ['theirs'], branch: STREAM, opened_at: '2026-10-01' },
    ],
  })
  root = `/ugs/${(await tokens.create(studio.db, studio.world.projects.star!.id as number, 'everybody')).token}/api`
})
afterAll(() => studio.close())

const id = () => studio.world.breakages.ours!.id
const user = (key: string) => studio.world.users[key]!.id
beforeEach(async () => {
  await studio.db.execute(sql`delete from ugs_changes`)
  await studio.db.execute(sql`
    update breakages set state = 'open', owner_user_id = null, claimed_at = null, fixed_at = null, resolved_at = null, fixed_by_change_id = null,
      suspects = ${JSON.stringify([{ change_id: studio.world.changes.bad!.id, user_id: user('anna'), score: 0.9, reasons: [], reason_codes: [] }])}::jsonb`)
})

const get = async (path: string) => {
  const { status, json } = await studio.ask(`${root}/${path}`)
  expect(status).toBe(200)
  return json
}
const put = async (body: object) =>
  (await studio.ask(`${root}/issues/${id()}`, { method: 'PUT', body: { Id: id(), ...body } })).status
const tell = (Change: number, UserName: string, Investigating: boolean) =>
  studio.ask(`${root}/metadata`, {
    method: 'POST',
    body: { Stream: STREAM, Project: 'shooter', Change, UserName, Investigating },
  })
const stateOf = async () => {
  const { state, owner_user_id } = (await studio.db.one<{ state: string; owner_user_id: number | null }>(sql`
    select state, owner_user_id from breakages where id = ${id()}`))!
  return [state, owner_user_id]
}

test('a breakage is an issue, and its suspect is notified', async () => {
  const [issue, ...others] = await get('issues?user=ANNA')
  expect(others).toEqual([])
  expect(issue).toMatchObject({
    Version: 1,
    Id: id(),
    CreatedAt: '2026-10-01T10:00:00.000Z',
    Owner: null,
    AcknowledgedAt: null,
    FixChange: 0,
    ResolvedAt: null,
    Notify: true,
    bNotify: true,
    BNotify: true,
    Streams: [STREAM],
    BuildUrl: expect.stringMatching(/\/breakages\/\d+$/),
  })
  expect(issue.Summary).toMatch(/^Door\.cpp\(4\): error C2065/)
  expect(JSON.stringify(issue)).not.toContain('@example')
  expect(await get('issues?user=ben')).toMatchObject([{ Notify: false }])
  expect(await get(`issues/${id()}`)).toMatchObject({ Id: id() })
  expect(await get(`issues/${id()}/builds`)).toMatchObject([{ Stream: STREAM, Change: 110, JobName: 'Editor', Outcome: 2 }])
  expect(await get(`issues/${id()}/diagnostics`)).toEqual([])
})

test('issues of another project are not found', async () => {
  for (const path of ['', '/builds', '/diagnostics'])
    expect((await studio.ask(`${root}/issues/${studio.world.breakages.theirs!.id}${path}`)).status).toBe(404)
  const asked = await studio.ask(`${root}/issues/${studio.world.breakages.theirs!.id}`, {
    method: 'PUT',
    body: { Resolved: true },
  })
  expect(asked.status).toBe(404)
})

test('an owner is named once they have used a client, and can claim it', async () => {
  expect(await put({ Owner: 'Ben', NominatedBy: 'anna' })).toBe(200)
  expect(await stateOf()).toEqual(['claimed', user('ben')])
  expect(await get('issues?user=ben')).toMatchObject([{ Owner: null }])
  expect(await get('issues?user=anna'), 'a claimed breakage notifies no suspect').toMatchObject([{ Notify: false }])
  await tell(200, 'Ben', false)
  expect(await put({ Owner: 'Ben' })).toBe(200)
  expect(await get('issues?user=ben')).toMatchObject([{ Owner: 'Ben', AcknowledgedAt: expect.any(String) }])
})

test('a non-member changes nothing and gets a normal reply', async () => {
  expect(await put({ Owner: 'stranger' })).toBe(200)
  expect(await stateOf()).toEqual(['open', null])
})

test('a fix resolves it, also when repeated', async () => {
  expect(await put({ FixChange: 120, Resolved: true })).toBe(200)
  expect(await put({ FixChange: 120, Resolved: true })).toBe(200)
  expect(await get('issues?user=anna')).toEqual([])
  expect(await get('issues?user=anna&includeResolved=true&maxResults=5')).toMatchObject([
    { FixChange: 120, ResolvedAt: expect.any(String) },
  ])
  expect(await put({ Resolved: false })).toBe(200)
  expect(await stateOf()).toEqual(['open', null])
})

test('a fix in an unknown change is stored, and linked once the change is reported', async () => {
  expect(await put({ FixChange: 1430, Resolved: true })).toBe(200)
  expect(await get('issues?user=anna&includeResolved=true')).toMatchObject([{ FixChange: 1430 }])
  const fixedBy = async () =>
    (await studio.db.one<{ identifier: string | null }>(sql`
      select (select c.identifier from changes c where c.account_id = k.account_id and c.id = k.fixed_by_change_id) as identifier from breakages k where k.id = ${id()}`))!
      .identifier
  expect(await fixedBy()).toBe(null)
  await studio.ask(`/webhooks/perforce?token=${studio.world.integrations.p4!.webhook_token}`, {
    method: 'POST',
    body: {
      changelist: 1430,
      user: 'anna',
      description: 'Mend the door',
      files: [{ path: `${STREAM}/Door.cpp`, action: 'edit' }],
    },
  })
  await workOff(studio, 'ingest')
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, { vault: studio.service.vault, site: 'https://gold.example' }));
  expect(await fixedBy()).toBe('1430')
  expect(await put({ Resolved: false })).toBe(200)
  expect(await get('issues?user=anna')).toMatchObject([{ FixChange: 0 }])
})

test('a person who investigates a change becomes the owner of its breakage, until they stop', async () => {
  await tell(104, 'anna', true)
  expect(await stateOf()).toEqual(['open', null])
  await tell(112, 'anna', true)
  expect(await stateOf()).toEqual(['claimed', user('anna')])
  await tell(113, 'ben', false)
  expect(await stateOf()).toEqual(['claimed', user('anna')])
  await tell(112, 'anna', false)
  expect(await stateOf()).toEqual(['open', null])
})
