import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, role: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { owl: role },
})

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true, credits: 5 }],
    users: [person('lead', 'owner'), person('ann', 'member')],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner', ann: 'member' } }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

const edit = (who: Visitor, body: object) => who.app(`${place}/settings`, { method: 'PATCH', body })
const chosen = async () => (await lead.app(`${place}/settings`)).json.investigates_failures

/** The number of breakages after one more build has failed. */
const breakagesAfter = async (build_number: string) => {
  await studio.ask(`/webhooks/ci?token=${studio.world.integrations.ci!.webhook_token}`, {
    method: 'POST',
    body: {
      job_name: `Cook ${build_number}`,
      build_number,
      status: 'failed',
      branch: 'main',
      log: 'src/a.c:5:3: error: nothing\n',
    },
  })
  await workOff(studio, 'investigate_failure')
  return (await lead.app(`${place}/breakages`)).json.breakages[0]?.build_count ?? 0
}

test("failed builds are investigated automatically by the project's setting, and by default without one", async () => {
  expect(await chosen()).toBeNull()
  expect(await breakagesAfter('1')).toBe(0)
  expect((await edit(lead, { investigates_failures: true })).json.investigates_failures).toBe(true)
  expect((await edit(lead, { name: 'Starfall' })).json).toMatchObject({ name: 'Starfall', investigates_failures: true })
  expect(await breakagesAfter('2')).toBe(1)
  await edit(lead, { investigates_failures: false })
  expect(await breakagesAfter('3')).toBe(1)
  await edit(lead, { investigates_failures: null })
  expect(await chosen()).toBeNull()
})

test('only owners can change that setting, and only with a boolean', async () => {
  const ann = await signIn(studio, 'ann@example.com', PASSWORD)
  expect((await edit(ann, { investigates_failures: true })).status).toBe(403)
  expect((await edit(lead, { investigates_failures: 'yes' })).status).toBe(422)
})
