import { expect, test } from 'vitest'
import { openChannelRoom } from '../../../test/support/studios/channel-room.ts'
import { sql } from '../../db/database.ts'
import { edit } from '../deployments/edit.ts'

const { studio, id, node, channel, quiet, said } = openChannelRoom()

const by = () => ({ account_id: id('accounts', 'owl'), project_id: id('projects', 'star'), user_id: id('users', 'kim') })
/** A deployment to a console, linked to a build of CL 101. */
const deployed = async (store = 'ps5'): Promise<string> => {
  const { account_id, project_id } = by()
  const build = (await studio().db.one<{ id: number }>(sql`
    insert into build_runs (account_id, project_id, ci_job_name, build_number, status, changelist)
    values (${account_id}, ${project_id}, 'Package', gen_random_uuid()::text, 'completed', '101') returning id`))!
  await studio().db.execute(sql`update build_runs set build_number = id::text where id = ${build.id}`)
  return (await studio().db.one<{ id: string }>(sql`
    insert into deployments (account_id, project_id, platform, store, version, status, build_run_id)
    values (${account_id}, ${project_id}, 'custom', ${store}, '1.1', 'in_review', ${build.id}) returning id`))!.id
}
const setStatus = (deployment: string, status: 'in_review' | 'rejected' | 'live' | 'rolled_back' | 'submitted', note?: string) =>
  edit(studio().db, by(), deployment, { status, ...(note !== undefined && { note }) })

test('a failed certification is a new message with build, change, reason and person', async () => {
  await channel('slack', 'C0BUILDS', [{ subject: 'deployment' }])
  node()
  const deployment = await deployed()
  // Of another store, which must not be told.
  await deployed('switch')
  await quiet()
  await setStatus(deployment, 'rejected', 'TRC R4009: crash on suspend')
  await quiet()
  const texts = said('slack', 'C0BUILDS')
  expect(texts).toHaveLength(3)
  const news = texts[2]
  for (const word of ['PlayStation 5 1.1 failed certification', 'Package #', 'CL 101', 'TRC R4009: crash on suspend', 'Kim'])
    expect(news).toContain(word)
  expect(texts.filter((text) => text.includes('Nintendo Switch'))).toEqual([expect.stringContaining('is in certification')])
})

test('a room that cannot edit is told that a deployment was rejected, is live and was rolled back, in this order', async () => {
  await channel('mattermost', 'ship', [{ subject: 'deployment' }])
  node()
  const deployment = await deployed()
  await quiet()
  for (const status of ['rejected', 'submitted', 'live', 'rolled_back'] as const) {
    await setStatus(deployment, status)
    await quiet()
  }
  const words = ['is in certification', 'failed certification', 'is live', 'was rolled back']
  expect(said('mattermost', 'ship').map((text) => words.find((one) => text.includes(one)))).toEqual(words)
})

test('what went live before its first message is told once', async () => {
  await channel('slack', 'C0BUILDS', [{ subject: 'deployment' }])
  const deployment = await deployed()
  await setStatus(deployment, 'live')
  node()
  await quiet()
  expect(said('slack', 'C0BUILDS')).toEqual([expect.stringContaining('PlayStation 5 1.1 is live')])
  await setStatus(deployment, 'in_review')
  await quiet()
  expect(said('slack', 'C0BUILDS').at(-1)).toContain('is in certification')
})
