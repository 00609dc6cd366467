import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { BAKER_LOG, bakerRule } from '../../test/support/studios/baker-rule.ts'
import { sql } from '../db/database.ts'
import { Vault } from '../domain/privacy/secrets.ts'

let own: TestDatabase
let folder: string
beforeAll(async () => {
  own = await createDatabase()
  await own.db.execute(sql`insert into accounts (id, name) values (1, 'Owl'), (2, 'Fox')`)
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-rule-'))
})
afterAll(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

const vault = new Vault('a key of these tests')
const run = (...words: string[]) => admin({ db: own.db, vault }, 'rule', ...words)

const file = async (name: string, content: unknown) => {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('add, list, show, remove', async () => {
  const path = await file('rule.json', bakerRule)
  expect(await run('add', path, '--account', 'acct_1')).toMatch(
    /^baker\.missing-lightmap\tBaker\tcook_asset_error\troot\t95\tno\t\t\S+\n$/,
  )
  expect(JSON.parse(await run('list', '--account', '1', '--json'))).toMatchObject([{ rule_id: bakerRule.id, tool: 'Baker' }])
  expect(JSON.parse(await run('list', '--account', '2', '--json'))).toEqual([])
  expect(JSON.parse(await run('show', bakerRule.id, '--account', '1'))).toEqual(bakerRule)
  expect(JSON.parse(await run('show', bakerRule.id, '--account', '1', '--json'))).toMatchObject({
    account_id: 1,
    definition: bakerRule,
  })
  expect(JSON.parse(await run('remove', bakerRule.id, '--account', '1', '--json'))).toEqual({
    rule_id: bakerRule.id,
    removed: true,
  })
  await expect(run('show', bakerRule.id, '--account', '1')).rejects.toThrow('Rule not found.')
})

test('test prints the finding and stores nothing', async () => {
  const [rules, known, unknown] = [
    await file('rules.json', [bakerRule]),
    await file('known.log', BAKER_LOG),
    await file('other.log', "main.cpp:3:7: error: expected ';' before 'x'\n"),
  ]
  expect(JSON.parse(await run('test', rules, known, unknown, '--json'))).toMatchObject([
    { log: known, rule_id: bakerRule.id, category: 'cook_asset_error', line: 2, diagnosis: expect.stringContaining('lightmap') },
    { log: unknown, category: 'compile_error', line: 1 },
  ])
  expect(await run('list', '--account', '1', '--json')).toBe('[]\n')
})

test('reports an error in one line', async () => {
  const wrong = await file('wrong.json', { ...bakerRule, colour: 'red' })
  await expect(run('add', wrong, '--account', '1')).rejects.toThrow(/^colour is not known here; known: id, .*\.$/)
  await expect(run('add', await file('not.json', '{'), '--account', '1')).rejects.toThrow(/not\.json is not JSON: /)
  await expect(run('add', join(folder, 'absent.json'), '--account', '1')).rejects.toThrow(
    /^Can't read .*absent\.json: file not found$/,
  )
})
