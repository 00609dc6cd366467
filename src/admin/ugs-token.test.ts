import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'

let studio: Studio
let project: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
  })
  project = String(studio.world.projects.star!.id)
})
afterAll(() => studio.close())

const run = (...words: string[]) => admin({ db: studio.db, vault: studio.service.vault }, 'ugs-token', ...words)
const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))

test('a token is created, works, is listed by its prefix and revoked', async () => {
  const made = await json('add', '--project', project, '--name', 'everybody')
  expect(made).toMatchObject({ name: 'everybody', api_url: `https://gold.example/ugs/${made.token}` })
  const ask = async () => (await studio.ask(`/ugs/${made.token}/api/latest`)).status
  expect(await ask()).toBe(200)
  const listed = await run('list', '--project', project)
  expect(listed).toContain(made.token.slice(0, 8))
  expect(listed).not.toContain(made.token)
  expect(await json('revoke', String(made.id))).toEqual({ id: made.id, revoked: true })
  expect(await ask()).toBe(401)
})

test('a missing project has none, and none to revoke', async () => {
  await expect(run('add', '--project', '999999', '--name', 'x')).rejects.toThrow('Project not found.')
  await expect(run('revoke', '999999')).rejects.toThrow('Token not found.')
})
