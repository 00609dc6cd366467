import { expect, test } from 'vitest'
import { openChannelRoom } from '../../../test/support/studios/channel-room.ts'
import { sql } from '../../db/database.ts'
import { decideAll } from '../../domain/assets/decisions.ts'
import { undo } from '../../domain/assets/undo.ts'

const room = openChannelRoom()
const { studio, id, node, channel, said, messages } = room

/** An asset of a change that waits for approval. */
async function waiting(name: string, commit: string): Promise<string> {
  const [account, project] = [id('accounts', 'owl'), id('projects', 'star')]
  const asset = (await studio().db.one<{ id: string }>(sql`
    insert into assets (account_id, project_id, name, path, asset_type, approval_status)
    values (${account}, ${project}, ${name}, ${`Content/${name}`}, 'texture', 'pending') returning id`))!.id
  await studio().db.execute(sql`
    insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha)
    values (${account}, ${project}, ${asset}, ${name}, ${commit})`)
  return asset
}

test('an undone decision shows the request again in its chat message, and posts no second one', async () => {
  const { id: channelId } = await channel('slack', 'C0REVIEWS', [{ subject: 'approval' }])
  node()
  const assets = [await waiting('T_Crane.png', 'c1'), await waiting('T_Rope.png', 'c1')]
  await room.quiet()
  expect(said('slack', 'C0REVIEWS')).toEqual([expect.stringContaining('2 assets are waiting for approval')])
  const kim = id('users', 'kim')
  const project = { account_id: id('accounts', 'owl'), project_id: id('projects', 'star') }
  await decideAll(studio().db, project, { user_id: kim, project_role: 'lead' }, { asset_ids: assets, status: 'approved' })
  await room.quiet()
  expect(said('slack', 'C0REVIEWS')).toEqual([expect.stringContaining('All 2 assets were reviewed')])
  // On a slow machine too, the decision is only a moment old.
  await studio().db.execute(sql`update approvals set decided_at = goldmaster_now() where decided_at is not null`)
  await undo(studio().db, project, kim, { asset_ids: assets.slice(0, 1) })
  await room.quiet()
  expect(said('slack', 'C0REVIEWS')).toEqual([expect.stringContaining('T_Crane.png is waiting for approval')])
  expect(said('slack', 'C0REVIEWS')[0]).toContain('1 of 2')
  expect(await messages(channelId)).toHaveLength(1)
})
