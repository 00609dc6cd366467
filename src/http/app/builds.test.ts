import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'

const PASSWORD = 'a long enough password'
const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour)).toISOString()
const build = (key: string, hour: number, status: string) => ({
  key,
  project: 'star',
  status,
  ci_job_name: 'Cook',
  created_at: at(hour),
})

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    tokens: [{ key: 'all', user: 'lead', name: 'all', scopes: ['read:builds'] }],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } }],
    changes: [
      { key: 'c', project: 'star', identifier: '100', source_type: 'Changelist', author: 'kim@example.com', timestamp: at(1) },
    ],
    build_runs: [build('red', 3, 'failed'), build('vague', 2, 'failed'), build('unknown', 1, 'failed')],
    breakages: [
      {
        key: 'k',
        project: 'star',
        builds: ['red'],
        jobs: ['Cook'],
        cause: 'Ask kim@example.com',
        suspects: [{ change: 'c', reasons: ['changed the file that fails'] }],
        opened_at: at(2),
      },
      { key: 'v', project: 'star', builds: ['vague'], cause: 'Something', suspects: ['c'], opened_at: at(2) },
    ],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

const idOf = (list: 'build_runs' | 'breakages' | 'changes', key: string) => studio.world[list]![key]!.id as number
const byToken = (path: string) => studio.ask(`/api/v1${place}${path}`, { token: studio.world.tokens.all!.token as string })

test('a list of builds includes the breakage of each for the web app on request, without addresses', async () => {
  const breakage = {
    id: String(idOf('breakages', 'k')),
    cause: 'Ask kim',
    suspect: { change_id: idOf('changes', 'c'), user_id: null, author: 'kim' },
  }
  const { build_runs } = (await lead.app(`${place}/build_runs?breakages=true`)).json
  expect(build_runs.map((one: { breakage: unknown }) => one.breakage)).toEqual([
    breakage,
    // A change without evidence is only the first of several candidates.
    { id: String(idOf('breakages', 'v')), cause: 'Something', suspect: null },
    null,
  ])
  for (const { json } of [await lead.app(`${place}/build_runs`), await byToken('/build_runs')])
    expect(json.build_runs[0]).not.toHaveProperty('breakage')
})

test('a list of breakages includes the suspect of each for the web app on request, without addresses', async () => {
  const { breakages } = (await lead.app(`${place}/breakages?suspects=true`)).json
  const suspects = new Map(breakages.map(({ id, suspect }: { id: string; suspect: unknown }) => [Number(id), suspect]))
  expect(suspects.get(idOf('breakages', 'k'))).toEqual({ change_id: idOf('changes', 'c'), user_id: null, author: 'kim' })
  expect(suspects.get(idOf('breakages', 'v'))).toBeNull()
  for (const { json } of [await lead.app(`${place}/breakages`), await byToken('/breakages')])
    expect(json.breakages[0]).not.toHaveProperty('suspect')
})

test('a build includes its breakage only for the web app', async () => {
  const path = (key: string) => `/build_runs/${idOf('build_runs', key)}`
  expect((await lead.app(place + path('red'))).json.breakage_id).toBe(String(idOf('breakages', 'k')))
  expect((await lead.app(place + path('unknown'))).json.breakage_id).toBeNull()
  expect((await byToken(path('red'))).json).not.toHaveProperty('breakage_id')
})
