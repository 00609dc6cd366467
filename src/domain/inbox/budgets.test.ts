import { afterEach, expect, test } from 'vitest'
import { openChannelRoom, SITE } from '../../../test/support/studios/channel-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { judgeMeasures } from '../measures/judge.ts'
import * as inbox from './inbox.ts'

const { studio, vendors, id, node, channel, quiet, heard } = openChannelRoom()

const db = () => studio().db
const project = () => ({ account_id: id('accounts', 'owl'), project_id: id('projects', 'star') })
const titles = async (user: string) => (await inbox.list(db(), id('users', user), {})).notifications.map(({ title }) => title)

let number = 0
/** Passed builds with these values, each of its own change by Ann, judged. */
async function builds(...values: number[]) {
  for (const value of values) {
    const identifier = String(500 + ++number)
    const star = id('projects', 'star')
    await studio().load({
      changes: [
        {
          key: identifier,
          project: star,
          identifier,
          source_type: 'Changelist',
          author: 'ann',
          user: id('users', 'ann'),
          branches: ['//game/main'],
        },
      ],
      build_runs: [
        {
          ...{
            key: identifier,
            project: star,
            ci_job_name: 'Package',
            build_number: String(number),
            branch: '//game/main',
            changelist: identifier,
          },
          ...{ status: 'completed', measures: [{ name: 'package', value, unit: 'bytes', platform: 'Win64' }] },
        },
      ],
    })
  }
  await judgeMeasures(db(), project())
}
const setBudget = (max_value: number) => {
  const budget = { measure: 'package', job: '', branch: '', platform: '', max_value, max_growth: null, store: '', track: '' }
  return db().execute(sql`
    update projects set measure_budgets = ${JSON.stringify([budget])}::jsonb where id = ${id('projects', 'star')}`)
}
const lead = (role: string) =>
  db().execute(sql`
    insert into project_members (account_id, project_id, user_id, project_role)
    values (${id('accounts', 'owl')}, ${id('projects', 'star')}, ${id('users', 'kim')}, ${role})
    on conflict (account_id, project_id, user_id) do update set project_role = excluded.project_role`)

afterEach(async () => {
  await db().execute(sql`delete from measure_alerts`)
  await db().execute(sql`delete from build_runs`)
  await db().execute(sql`delete from project_members`)
})

const OVER = 'package Win64 on //game/main is 1.2 kB, over its budget of 1.1 kB'
const BACK = 'package Win64 on //game/main is 1.0 kB, within its budget of 1.1 kB again'

test('leads and the author of the only change are told once, and once that it is back', async () => {
  await lead('lead')
  node()
  await setBudget(1050)
  await builds(1000, 1001, 1000, 1002, 1000, 1200, 1200)
  await quiet()
  await builds(1200)
  await quiet()
  expect(await titles('ann')).toEqual([`${OVER} (your change CL ${500 + number - 2})`])
  expect(await titles('kim')).toEqual([OVER])
  await builds(1000, 1000)
  await quiet()
  expect(await titles('kim')).toEqual([BACK, OVER])
  expect((await titles('ann'))[0]).toBe(BACK)
})

test('a person who does not lead the project and changed nothing is not told', async () => {
  await lead('contributor')
  node()
  await setBudget(1050)
  await builds(1200, 1200)
  await quiet()
  expect([await titles('kim'), await titles('ann')]).toEqual([[], []])
})

test('a room that can edit has one message with the state, another gets a post for each', async () => {
  await channel('slack', 'C0BUILDS', [{ subject: 'budget' }])
  await channel('mattermost', 'town', [{ subject: 'budget' }])
  await channel('mattermost', 'other', [{ subject: 'budget', branch: 'dev' }])
  node()
  await setBudget(1050)
  await builds(1000, 1001, 1000, 1002, 1000, 1200, 1200)
  await quiet()
  const said = (kind: 'slack' | 'mattermost', room: string) => vendors().messages(kind, room)
  const [first] = said('slack', 'C0BUILDS')
  expect(first).toMatchObject({ pings: ['U0ANN'] })
  // The mention is their only message.
  expect(
    vendors()
      .messages('slack')
      .map(({ room }) => room),
  ).toEqual(['C0BUILDS'])
  for (const words of [OVER, 'at most 1.1 kB', 'the only change since the last build within the budget', `${SITE}/projects/`])
    expect(first!.text).toContain(words)
  await builds(1000, 1000)
  await quiet()
  expect(said('slack', 'C0BUILDS').map(({ text }) => [text.includes(BACK), text.includes('only change')])).toEqual([
    [true, false],
  ])
  expect(said('mattermost', 'town').map(({ text }) => [text.includes(OVER), text.includes(BACK)])).toEqual([
    [true, false],
    [false, true],
  ])
  expect(said('mattermost', 'other')).toEqual([])
})

test('what is back before its first message is not posted', async () => {
  await channel('mattermost', 'town', [{ subject: 'budget' }])
  await setBudget(1050)
  await builds(1200, 1200)
  await builds(1000, 1000)
  node()
  await heard()
  await quiet()
  expect(vendors().messages('mattermost', 'town')).toEqual([])
})

test('the message in chat names nobody any more once it is not the person that the tool means', async () => {
  const room = await channel('slack', 'C0BUILDS', [{ subject: 'budget' }])
  node()
  await setBudget(1050)
  await builds(1000, 1001, 1000, 1002, 1000, 1200, 1200)
  await quiet()
  const [message] = vendors().messages('slack', 'C0BUILDS')
  expect(message!.text).toContain('by <@U0ANN>')
  // As after a name that was rejected: its changes are nobody's.
  await db().execute(sql`update changes set author_user_id = null where project_id = ${id('projects', 'star')}`)
  const { account_id } = project()
  await enqueue(db(), 'correct_authors', { account_id, user_id: id('users', 'ann') }, { account_id })
  await workOff(studio(), 'correct_authors')
  await quiet()
  const said = vendors().messages('slack', 'C0BUILDS')
  expect(said).toHaveLength(1)
  expect(said[0]!.text).toContain('by ann')
  expect(said[0]!.text).not.toContain('U0ANN')
  expect(await db().rows(sql`select revision > 1 as edited from messages where destination_id = ${room.id}`)).toEqual([
    { edited: true },
  ])
})
