import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { Vault } from '../domain/privacy/secrets.ts'
import { loadWorld } from '../world/world.ts'

const vault = new Vault('a key of these tests, and long enough')
let own: TestDatabase
let folder: string
let account: number
beforeAll(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-diagnosis-'))
  const build = (key: string, project: string) => ({ key, project, status: 'failed', output_log: `first\n${key} broke\n` })
  const world = {
    accounts: [
      { key: 'owl', name: 'Owl' },
      { key: 'fox', name: 'Fox' },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'hole', account: 'fox', name: 'Hole' },
    ],
    build_runs: [build('one', 'star'), build('two', 'star'), build('three', 'star'), build('foreign', 'hole')],
    corrections: [
      { project: 'star', build_run: 'one', line: 2, category: 'network' },
      { project: 'star', build_run: 'two', category: 'timeout' },
      { project: 'star', build_run: 'three', cause: 'Only words' },
      { project: 'hole', build_run: 'foreign', line: 2 },
    ],
  }
  account = (await loadWorld(own.db, Readable.from([JSON.stringify(world)]), { vault })).accounts.owl!.id
})
afterAll(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

test('export writes the corrected logs of one account with their labels', async () => {
  const out = join(folder, 'logs')
  const run = () => admin({ db: own.db, vault }, 'diagnosis', 'export', out, '--account', String(account), '--json')
  expect(JSON.parse(await run())).toEqual({ folder: out, logs: 2 })
  const labels = (await readFile(join(out, 'labels.jsonl'), 'utf8')).trim().split('\n')
  expect(labels.map((line) => JSON.parse(line))).toMatchObject([
    { error_lines: [2], category: 'network' },
    { error_lines: [], category: 'timeout' },
  ])
  expect(await readFile(join(out, JSON.parse(labels[0]!).file), 'utf8')).toContain('one broke')
  await expect(run()).rejects.toThrow()
})
