import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BreakageRoom, breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'
import { reviewRanges } from './late-changes.ts'

let studio: Studio
let room: BreakageRoom
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const user = (key: string) => studio.world.users![key]!.id as number
const account = () => studio.world.accounts!.owl!.id as number

/** A build failed for an unknown cause, and somebody said something about it. */
async function unknown(edit: object) {
  room = await breakageRoom(studio)
  await room.report({ number: 3, status: 'success' })
  await room.report({ number: 5 })
  await room.work()
  const { id } = await room.only()
  if (Object.keys(edit).length > 0) expect(await room.api(`/breakages/${id}`, edit)).toMatchObject({ status: 200 })
  return id
}

/** Its log arrives later and names another cause. Returns the breakage of that cause. */
async function explained(former: string) {
  await room.report({ number: 5, log: brokenLog('Roll') })
  await room.work()
  const [now] = (await room.breakages()).filter(({ id }) => id !== former)
  expect((await room.api(`/breakages/${former}`)).json).toMatchObject({ state: 'withdrawn', same_as_breakage_id: now!.id })
  return now!
}

describe('what people said about a breakage stands at the one that it turned out to be', () => {
  test('its owner, whoever assigned it, with the time', async () => {
    const former = await unknown({ owner_user_id: user('ann') })
    const { claimed_at } = (await room.api(`/breakages/${former}`)).json
    const now = await explained(former)
    expect(now).toMatchObject({ state: 'claimed', owner_user_id: user('ann'), claimed_at })
    expect(now.history.filter(({ kind }) => kind === 'claimed')).toMatchObject([
      { user_id: user('kim'), detail: `user:${user('ann')}` },
    ])
    const [occurrence] = await studio.db.rows(sql`
      select owner_user_id from breakage_occurrences where account_id = ${account()} and breakage_id = ${Number(now.id)}`)
    expect(occurrence).toEqual({ owner_user_id: user('ann') })
  })

  test('its mute, as long as it was meant, and no longer', async () => {
    const muted_until = new Date(Date.now() + 3_600_000).toISOString()
    const former = await unknown({ state: 'muted', muted_until })
    expect(await explained(former)).toMatchObject({ state: 'muted', muted_until })

    const over = await unknown({ state: 'muted', muted_until })
    await studio.db.execute(sql`
      update breakages set muted_until = now() - interval '1 second' where account_id = ${account()} and id = ${Number(over)}`)
    const open = await explained(over)
    expect(open).toMatchObject({ state: 'open', muted_until: null })
    expect(open.history.map(({ kind }) => kind)).not.toContain('muted')
  })

  test('its comments and its task', async () => {
    const former = await unknown({})
    const task = (await room.api(`/breakages/${former}/task`, {}, 'POST')).json
    const comment = (await room.api(`/breakages/${former}/comments`, { body: 'It was the shelf.' }, 'POST')).json
    const now = await explained(former)
    expect(now).toMatchObject({ state: 'open', task_id: task.id })
    expect((await room.api(`/breakages/${now.id}/comments`)).json.comments).toMatchObject([{ id: comment.id }])
    expect((await room.api(`/breakages/${former}/comments`)).json.comments).toEqual([])
  })

  test('unless people said something else there, or only the service did here', async () => {
    const former = await unknown({ owner_user_id: user('ann') })
    await room.report({ job: 'Test', number: 6, log: brokenLog('Roll') })
    await room.work()
    const there = (await room.breakages()).find(({ id }) => id !== former)!
    await room.api(`/breakages/${there.id}`, { owner_user_id: user('kim') })
    expect(await explained(former)).toMatchObject({ id: there.id, state: 'claimed', owner_user_id: user('kim') })

    const chosen = await unknown({ owner_user_id: user('ann') })
    await studio.db.execute(sql`
      update breakages set assigned_because = '{"file": "a"}' where account_id = ${account()} and id = ${Number(chosen)}`)
    expect(await explained(chosen)).toMatchObject({ state: 'open', owner_user_id: null })
  })
})

describe('builds that turn out to be of another branch', () => {
  const project = () => ({ account_id: account(), project_id: room.project })
  const move = (branch: string) =>
    studio.db.execute(sql`
      with moved as (update build_runs set inferred_branch = ${branch} where account_id = ${account()} and project_id = ${room.project})
      update breakages set last_seen_at = goldmaster_now() where account_id = ${account()} and project_id = ${room.project}`)
  const bisections = () =>
    studio.db.rows(sql`select status, reason from bisections where account_id = ${account()} and project_id = ${room.project}`)

  test('end the search among the changes of the former one', async () => {
    const id = await unknown({})
    await studio.db.execute(sql`
      insert into bisections (account_id, project_id, breakage_id, occurrence, job, branch, suspects, failures)
      values (${account()}, ${room.project}, ${Number(id)}, 1, 'Cook', 'main', '[]', 1)`)
    await reviewRanges(studio.db, project())
    expect(await bisections()).toEqual([{ status: 'running', reason: null }])
    await move('dev')
    await reviewRanges(studio.db, project())
    expect(await bisections()).toEqual([{ status: 'cancelled', reason: 'The builds turned out to be of another branch.' }])
    expect((await room.only()).branch).toBe('dev')
  })

  test('bring their budget alerts along, of which one is open for each budget', async () => {
    await unknown({})
    const alert = (branch: string, measure: string, state = 'open') => sql`
      insert into measure_alerts (account_id, project_id, kind, state, budget, measure, platform, unit, job, branch, build_run_id)
      select account_id, project_id, 'exceeded', ${state}, '{}', ${measure}, '', 's', 'Cook', ${branch}, min(id) from build_runs
      where account_id = ${account()} and project_id = ${room.project} group by account_id, project_id`
    await move('dev')
    for (const one of [
      // Open on both; open on two others; settled there; of another measure.
      ...[alert('main', 'cook'), alert('dev', 'cook')],
      ...[alert('old', 'size'), alert('older', 'size')],
      ...[alert('main', 'link'), alert('dev', 'link', 'settled')],
      alert('main', 'load'),
    ])
      await studio.db.execute(one)
    await reviewRanges(studio.db, project())
    expect(
      await studio.db.rows(sql`
        select measure, branch, state, count(*)::integer as count from measure_alerts
        where account_id = ${account()} and project_id = ${room.project} group by 1, 2, 3 order by 1, 2, 3`),
    ).toEqual([
      { measure: 'cook', branch: 'dev', state: 'open', count: 1 },
      { measure: 'link', branch: 'dev', state: 'open', count: 1 },
      { measure: 'link', branch: 'dev', state: 'settled', count: 1 },
      { measure: 'load', branch: 'dev', state: 'open', count: 1 },
      { measure: 'size', branch: 'dev', state: 'open', count: 1 },
    ])
  })
})
