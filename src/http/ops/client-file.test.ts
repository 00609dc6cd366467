import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openStudio } from '../../../test/support/studio.ts'

test('a build machine gets the command line from the service, where it was built', async () => {
  const studio = await openStudio()
  const built = resolve('dist/goldmaster.mjs')
  const { status, text } = await studio.ask('/goldmaster.mjs')
  if (existsSync(built)) expect([status, text === readFileSync(built, 'utf8')]).toEqual([200, true])
  else expect([status, text]).toEqual([404, expect.stringContaining('not found')])
  await studio.close()
})
