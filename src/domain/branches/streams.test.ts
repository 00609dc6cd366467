import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { branchKey } from './branch-names.ts'
import { streamsOf } from './streams.ts'

describe('the streams of a changelist', () => {
  const files = ['//Game/Main/Source/a.cpp', '//game/Dev/Source/a.cpp', '//engine/rel-5.4/b.cpp', '//depot/readme.txt']

  test('are those of the files below them, in any spelling', () => {
    expect(streamsOf(['//game/main'], { prefixes: ['//game/main'] })).toEqual([])
    const streams = [{ path: '//Game/Main' }, { path: '//Game/Art', parent: '//Game/Main/' }]
    expect(streamsOf(['//game/main/a.cpp'], { streams })).toEqual(['//game/main', '//game/art'])
  })

  test('are the first two folders of its files without further settings', () => {
    expect(streamsOf(files, {})).toEqual(['//game/main', '//game/dev', '//engine/rel-5.4'])
  })

  test("are those of the operator's prefixes, the longest first", () => {
    const prefixes = ['//game/main', '//engine/rel-*', '//Game/Main/Source/']
    expect(streamsOf(files, { prefixes })).toEqual(['//game/main/source', '//engine/rel-5.4'])
  })

  test('are those the server listed, with virtual streams and those that import the file', () => {
    const streams = [
      { path: '//game/main' },
      { path: '//game/artists', parent: '//game/main' },
      { path: '//engine/rel-5.4/deep' },
      { path: '//game/rel', imports: ['//engine/rel-5.4/...'] },
    ]
    expect(streamsOf(files, { streams })).toEqual(['//game/main', '//game/artists', '//game/rel'])
  })
})

test('a branch is normalized the same way here and in the database', async () => {
  expect(['//Game/Main/', '//game/main/...', 'refs/heads/Main', 'origin/main', 'feature/origin/x'].map(branchKey)).toEqual([
    '//game/main',
    '//game/main',
    'Main',
    'main',
    'feature/origin/x',
  ])
  const { db, drop } = await createDatabase()
  const name = fc.array(fc.constantFrom('//', '/', 'Game', 'Main', '...', '*', 'refs/heads/', 'origin/', 'x', '.'), {
    maxLength: 7,
  })
  const names = fc.sample(name, { numRuns: 500, seed: 7 }).map((parts) => parts.join(''))
  const rows = await db.rows<{ name: string; key: string }>(
    sql`select name, branch_key(name) as key from unnest(${names}::text[]) name`,
  )
  for (const { name, key } of rows) expect(branchKey(name), name).toBe(key)
  await drop()
})
