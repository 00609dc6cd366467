import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'
import { readEnvironment } from './environment.ts'
import { welcome } from './welcome.ts'

const said = vi.spyOn(console, 'error').mockImplementation(() => {})
const embedded = readEnvironment({})
const onServer = readEnvironment({ DATABASE_URL: 'postgres://db.example/gold' })

let studio: Studio
beforeAll(async () => {
  studio = await openStudio()
})
afterAll(() => studio.close().finally(() => said.mockRestore()))
beforeEach(() => said.mockClear())

const greet = async (settings: typeof embedded) => {
  await welcome(settings, studio.service)
  return String(said.mock.lastCall?.[0])
}

test('an external database stays empty, and the first output says how to start', async () => {
  const words = await greet(onServer)
  expect(words).toContain('is empty')
  expect(words).toContain(`https://gold.example/welcome#set-up=${studio.service.setUpToken}`)
  expect(words).toContain('/api/docs')
  expect(await studio.db.rows(sql`select 1 from accounts`)).toEqual([])
})

test('the embedded database gets a studio, and the curl line works', async () => {
  const words = await greet(embedded)
  const [, token, path] = /Bearer (\w+)" "https:\/\/gold\.example([^"]+)"/.exec(words)!
  const answer = await studio.ask(path!, { token: token! })
  expect(answer.status).toBe(200)
  expect(answer.json.build_runs).toHaveLength(5)
})

test('a later start prints its URL and how to sign in, and loads nothing again', async () => {
  const words = await greet(embedded)
  expect(words).toMatch(/^Goldmaster runs at https:\/\/gold\.example\.$/m)
  expect(words).toContain('https://gold.example/sign-in')
  expect(words).toContain('goldmaster admin user set-password maren@ninthteapot.example')
  expect(words).not.toContain('Bearer')
  expect(words).not.toContain(studio.service.setUpToken)
})

test('one of two first starts loads the studio; the other waits and finds it', async () => {
  const fresh = await openStudio()
  try {
    await Promise.all([welcome(embedded, fresh.service), welcome(embedded, fresh.service)])
    const greetings = said.mock.calls.map(([words]) => String(words))
    expect(greetings.filter((words) => words.includes('with a demo studio'))).toHaveLength(1)
    expect(greetings.filter((words) => words.includes('Locked out?'))).toHaveLength(1)
  } finally {
    await fresh.close()
  }
})
