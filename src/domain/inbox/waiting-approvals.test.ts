import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'
import * as inbox from './inbox.ts'

const PEOPLE = {
  owner: 'owner',
  admin: 'admin',
  lead: 'member',
  approver: 'member',
  guest: 'guest',
  contributor: 'member',
  viewer: 'member',
  bystander: 'member',
}
type Who = keyof typeof PEOPLE

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
    users: Object.entries(PEOPLE).map(([key, role]) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      accounts: { owl: role },
    })),
    projects: [
      {
        key: 'star',
        account: 'owl',
        name: 'Starfall',
        members: { lead: 'lead', approver: 'approver', guest: 'approver', contributor: 'contributor', viewer: 'viewer' },
      },
    ],
    integrations: [{ key: 'p4', project: 'star', provider: 'perforce' }],
    tokens: [{ key: 'owner', user: 'owner', name: 'owner', scopes: SCOPES }],
  })
})
afterAll(() => studio.close())

const titles = async (who: Who) =>
  (await inbox.list(studio.db, studio.world.users![who]!.id as number, {})).notifications.map(({ title }) => title)

test('approvers, leads, owners and admins are notified about assets that wait for approval', async () => {
  const { status } = await studio.ask(`/webhooks/perforce?token=${studio.world.integrations!.p4!.webhook_token}`, {
    method: 'POST',
    body: {
      changelist: 1204,
      user: 'rock.artist',
      description: 'New rocks',
      files: [
        { path: '//game/main/Content/Rocks/T_Rock.png', action: 'add' },
        { path: '//game/main/Content/Rocks/T_Stone.png', action: 'add' },
      ],
    },
  })
  expect(status).toBe(202)
  await workOff(studio, 'ingest')
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, { vault: studio.service.vault, site: 'https://gold.example' }));
  const told = await Promise.all((Object.keys(PEOPLE) as Who[]).map(async (who) => [who, await titles(who)] as const))
  const waiting = ['2 assets of CL 1204 are waiting for approval in Starfall']
  expect(Object.fromEntries(told)).toEqual({
    owner: waiting,
    admin: waiting,
    lead: waiting,
    approver: waiting,
    guest: waiting,
    contributor: [],
    viewer: [],
    bystander: [],
  })
})

test("the API's list of members derives the role from the project role", async () => {
  const { json } = await studio.ask(`/api/v1/projects/${studio.world.projects!.star!.id}/members`, {
    token: studio.world.tokens!.owner!.token as string,
  })
  expect(json.members.map(({ role, project_role }: { role: string; project_role: string }) => [role, project_role])).toEqual([
    ['owner', 'lead'],
    ['member', 'approver'],
    ['member', 'approver'],
    ['member', 'contributor'],
    ['member', 'viewer'],
  ])
})
