import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLIENT } from '../../../test/support/built.ts'
import { openStudio } from '../../../test/support/studio.ts'

test('a build machine can download the CLI from the service', async () => {
  const studio = await openStudio()
  const { status, text } = await studio.ask('/goldmaster.mjs')
  expect([status, text === readFileSync(CLIENT, 'utf8')]).toEqual([200, true])
  await studio.close()
})
