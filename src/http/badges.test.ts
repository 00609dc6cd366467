import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'

let studio: Studio
beforeAll(async () => {
  const build = (status: string, branch: string) => ({
    project: 'star',
    status,
    ci_job_name: 'night',
    branch,
    build_number: status,
  })
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    changes: [{ project: 'star', identifier: 'abc', branches: ['main', '//game/<dev>'] }],
    build_runs: [build('completed', 'main'), build('failed', '//game/<dev>')],
  })
})
afterAll(() => studio.close())

const badge = (path: string) => studio.ask(`/badges/${path}`, { token: null })

test('a badge shows a branch to anybody with its key, once it is enabled', async () => {
  expect((await badge('key.svg?branch=main')).status).toBe(404)
  await studio.db.execute(sql`update projects set badge_key = 'key'`)
  const main = await badge('key.svg?branch=main')
  expect(main.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8')
  expect(main.text).toContain('aria-label="main: passing"')
  expect((await badge('key.svg?branch=away')).text).toContain('away: unknown')
  expect((await badge(`key.svg?branch=${'x'.repeat(600)}`)).text).toContain('unknown')
  const dev = await badge(`key.svg?branch=${encodeURIComponent('//game/<dev>')}`)
  expect(dev.text).toContain('//game/&#60;dev&#62;: failing')
  expect(dev.text).not.toContain('<dev>')
  for (const key of ['wrong', '%27', '..%2f']) expect((await badge(`${key}.svg`)).status, key).toBe(404)
  expect((await badge('key%00.svg')).status).toBe(422)
})
