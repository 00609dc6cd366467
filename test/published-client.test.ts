import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from './support/studio.ts'

/** An external package with `goldmaster` as its only dependency. */

const ROOT = resolve(import.meta.dirname, '..')
let home: string
let studio: Studio
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'gm-client-'))
  const installed = join(home, 'node_modules/goldmaster')
  mkdirSync(join(installed, 'dist'), { recursive: true })
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  execFileSync('npx', ['tsx', 'scripts/published-client.mjs', join(installed, 'dist')], { cwd: ROOT })
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    tokens: [
      {
        key: 'some',
        user: 'lead',
        name: 'some',
        scopes: ['read:tasks', 'write:tasks', 'admin:projects', 'read:workspace_events'],
      },
    ],
  })
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await studio?.close()
})

const compile = (program: string) => {
  writeFileSync(join(home, 'program.ts'), program)
  const settings = '--strict --noEmit --skipLibCheck false --target es2023 --lib es2023,dom --module nodenext'
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...settings.split(' '), 'program.ts'], { cwd: home, stdio: 'pipe' })
}

test('the client has the fields of records and the parameters of every route', () => {
  compile(`
    import { ApiError, createClient, type Task } from 'goldmaster/client'
    const client = createClient({ site: 'https://gold.example', token: 't' })
    export async function titles(project_id: number): Promise<string[]> {
      const { tasks, pagination } = await client.listTasks({ project_id, query: { state: 'to_do,blocked', limit: 50 } })
      const first: Task | undefined = tasks[0]
      if (pagination.next_cursor === null || first?.state === 'completed') return []
      const made = await client.createProject({ account_id: 1, body: { name: 'Moon', engine: 'unity' } })
      for await (const task of client.each('listTasks', { project_id, query: { state: 'to_do' } })) return [task.title]
      for await (const { id, event_type } of client.events({ query: { project_id } })) return [id, event_type]
      return [made.name, ...tasks.map(({ title }) => title)]
    }
    export const isRefusal = (error: unknown) => error instanceof ApiError && error.status === 403`)
}, 60_000)

test.each([
  ['an unknown field of a task', 'client.showTask({ project_id: 1, id: 1 }).then((task) => task.titel)'],
  ['an unknown state', "client.showTask({ project_id: 1, id: 1 }).then((task) => task.state === 'done')"],
  ['an unknown parameter', 'client.listTasks({ project_id: 1, query: { stat: 1 } })'],
  ['an unknown list', "client.each('showTask', { project_id: 1, id: 1 })"],
  ['a missing project', 'client.listTasks({})'],
])(
  'a program with %s does not compile',
  (_, wrong) => {
    const program = `import { createClient } from 'goldmaster/client'
    const client = createClient({ site: 'https://gold.example', token: 't' })
    export const wrong = ${wrong}`
    expect(() => compile(program)).toThrow()
  },
  60_000,
)

test('installing the package installs no other package that it cannot do without', () => {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect({ ...dependencies, ...peerDependencies }).toEqual({})
})

test('the client calls a real service, and throws its errors', async () => {
  const { createClient, ApiError } = await import(pathToFileURL(join(home, 'node_modules/goldmaster/dist/client.js')).href)
  const client = createClient({ site: studio.site, token: studio.world.tokens.some!.token })
  const project_id = studio.world.projects.star!.id
  const made = await client.createTask({ project_id, body: { task: { title: 'The door sticks' } } })
  expect((await client.listTasks({ project_id, query: { limit: 1 } })).tasks).toMatchObject([{ id: made.id }])
  const titles = ['one', 'two', 'three']
  for (const title of titles) await client.createTask({ project_id, body: { task: { title } } })
  const walked: string[] = []
  for await (const { title } of client.each('listTasks', { project_id, query: { limit: 2 } })) walked.push(title)
  expect(walked).toEqual([...titles.reverse(), 'The door sticks'])
  const events = client.events()
  const next = events.next()
  // The stream sends only events after its start.
  const making = setInterval(() => void client.createTask({ project_id, body: { task: { title: 'Told' } } }), 200)
  const { value } = await next.finally(() => clearInterval(making))
  expect(value).toMatchObject({
    id: expect.stringMatching(/^\d+$/),
    event_type: 'task.state_changed',
    message: expect.stringContaining('Told'),
  })
  await events.return()
  const edited = await client.editProject({ project_id, body: { status: 'paused' } })
  expect(edited.status).toBe('paused')
  await expect(client.listBuilds({ project_id })).rejects.toSatisfy(
    (error: { code?: string }) => error instanceof ApiError && error.code === 'insufficient_scope',
  )
})
