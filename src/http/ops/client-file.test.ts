import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLIENT, RUN_CLIENT } from '../../../test/support/built.ts'
import { openStudio } from '../../../test/support/studio.ts'

test.each([
  ['/goldmaster.mjs', CLIENT],
  ['/goldmaster-run.mjs', RUN_CLIENT],
])('a build machine can download %s from the service, and its checksum', async (path, file) => {
  const studio = await openStudio()
  const built = readFileSync(file)
  const { status, text } = await studio.ask(path)
  expect([status, text === built.toString()]).toEqual([200, true])
  const sum = createHash('sha256').update(built).digest('hex')
  expect((await studio.ask(`${path}.sha256`)).text).toBe(`${sum}  ${path.slice(1)}\n`)
  await studio.close()
})
