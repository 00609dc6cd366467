import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../test/support/callers/visitor.ts'
import { runInvestigation } from '../../test/support/run-investigation.ts'
import { type LocalServer, openLocalServer } from '../../test/support/servers/local-server.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { explainer } from './explainer.ts'

const PASSWORD = 'a long enough password'
const LOG = `Source\\Combat.cpp(5): error C2065: 'Damage': undeclared identifier\n`

let studio: Studio
let model: LocalServer
let asked: string[]
const people: Record<string, Visitor> = {}
beforeAll(async () => {
  const roles = ['owner', 'admin', 'member', 'guest']
  const accounts = ['owl', 'fox']
  studio = await openStudio({
    accounts: accounts.map((key) => ({ key, name: key, plan: 'team', credits: 50, payment_method: true })),
    users: [
      ...roles.map((role) => ({
        key: role,
        email: `${role}@example.com`,
        name: role,
        password: PASSWORD,
        accounts: { owl: role },
      })),
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', fox: 'owner' } },
    ],
    projects: accounts.map((key) => ({ key, account: key, name: key })),
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds', 'read:builds'] }],
    build_runs: ['owl1', 'owl2', 'owl3', 'fox1'].map((key) => ({
      key,
      project: key.slice(0, 3),
      status: 'failed',
      branch: key,
      ci_job_name: 'night',
      output_log: LOG,
    })),
  })
  for (const role of roles) people[role] = await signIn(studio, `${role}@example.com`, PASSWORD)
  asked = []
  model = await openLocalServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(body)
    const content = JSON.stringify({ diagnosis: 'In other words.', suggested_fix: 'Mend it.', cause_line: 1, cited_lines: [1] })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [{ message: { content } }] }))
  })
})
afterAll(async () => {
  await model.close()
  await studio.close()
})

const account = (key = 'owl') => `/accounts/${studio.world.accounts[key]!.id}`
const set = (role: string, uses_language_model: unknown) =>
  people[role]!.app(account(), { method: 'PATCH', body: { uses_language_model } })

async function diagnosisOf(build: string): Promise<string> {
  const project = studio.world.projects![build.slice(0, 3)]!.id
  const path = `/api/v1/projects/${project}/build_runs/${studio.world.build_runs![build]!.id}`
  const token = studio.world.tokens!.kim!.token as string
  const { json } = await studio.ask(`${path}/investigate`, { method: 'POST', token })
  const at = { url: `${model.url}/v1/chat/completions`, key: undefined, model: 'm' }
  await runInvestigation(studio.db, json.investigation_id, explainer(at, pino({ level: 'silent' })))
  return (await studio.ask(path, { token })).json.investigation.diagnosis
}

test('the language model rephrases findings until the account turns it off, and gets no evidence after that', async () => {
  expect((await people.member!.app(account())).json.uses_language_model).toBe(true)
  expect(await diagnosisOf('owl1')).toBe('In other words.')
  expect(asked).toHaveLength(1)

  expect(await set('admin', false)).toMatchObject({ status: 200, json: { uses_language_model: false } })
  expect(await diagnosisOf('owl2')).toContain('Damage')
  expect(asked).toHaveLength(1)
  // Findings of another account are rephrased as before.
  expect(await diagnosisOf('fox1')).toBe('In other words.')
  expect(asked).toHaveLength(2)

  expect((await set('owner', true)).status).toBe(200)
  expect(await diagnosisOf('owl3')).toBe('In other words.')
})

test('only owners and admins can turn it on or off, and no other value is accepted', async () => {
  for (const role of ['member', 'guest'])
    expect(await set(role, false)).toMatchObject({ status: 403, json: { error: 'insufficient_role' } })
  for (const wrong of ['no', 0, null]) expect((await set('admin', wrong)).status).toBe(422)
  expect((await people.member!.app(account())).json.uses_language_model).toBe(true)
})
