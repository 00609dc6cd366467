import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectNoAddress, expectTruth, fixtures, openSamples, type Sample, sendAll } from '../../test/support/files/samples.ts'
import type { Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'

const examples: { name: string; examples: unknown[] }[] = createRequire(import.meta.url)(
  '@octokit/webhooks-examples/api.github.com/index.json',
)
const octokit: Sample[] = examples.flatMap(({ name, examples }) =>
  examples.map((body, index) => ({ name: `${name} ${index}`, path: 'github', headers: { 'x-github-event': name }, body })),
)

let studio: Studio
beforeAll(async () => {
  studio = await openSamples()
})
afterAll(() => studio.close())

describe('real payloads at their endpoints', () => {
  test('get a correct reply, and none of their addresses is ever returned', async () => {
    const samples = [...fixtures(), ...octokit]
    expect(samples.length).toBeGreaterThan(400)
    const answers = await sendAll(studio, samples)
    for (const answer of answers) expectTruth(answer)
    const count = (word: string) => answers.filter(({ json }) => json.status === word).length
    expect(count('processed')).toBeGreaterThan(80)
    expect(count('failed')).toBe(0)
    const { sent, records } = await expectNoAddress(studio, samples)
    expect(sent).toBeGreaterThan(20)
    expect(records).toBeGreaterThan(20)
    expect(await studio.db.rows(sql`select id from deliveries where outcome = 'accepted'`)).toEqual([])
  })

  test('that are junk are 422 or ignored at every endpoint', async () => {
    const paths = [...new Set(fixtures().map(({ path }) => path))]
    const junk = [
      null,
      0,
      'text',
      [],
      {},
      [[]],
      { a: 1 },
      { event: {} },
      { build: null },
      { commits: [null] },
      { changelist: 'x' },
    ]
    const samples = paths.flatMap((path) =>
      junk.map((body, index) => ({ name: `${path} ${index}`, path, headers: { 'x-github-event': 'push' }, body })),
    )
    for (const answer of await sendAll(studio, samples)) expectTruth(answer)
  })
})
