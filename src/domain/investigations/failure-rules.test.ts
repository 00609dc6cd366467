import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInvestigation } from '../../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { BAKER_LOG, bakerRule } from '../../../test/support/studios/baker-rule.ts'
import { sql } from '../../db/database.ts'
import * as failureRules from './failure-rules.ts'

let studio: Studio
beforeAll(async () => {
  const accounts = ['owl', 'fox']
  studio = await openStudio({
    accounts: accounts.map((key) => ({ key, name: key, plan: 'team', credits: 50 })),
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', fox: 'owner' } }],
    projects: accounts.map((key) => ({ key, account: key, name: key })),
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds', 'read:builds'] }],
    build_runs: ['owl', 'fox', 'owl2', 'owl3', 'owl4', 'owl5'].map((key) => ({
      key,
      project: key.slice(0, 3),
      status: 'failed',
      branch: key,
      ci_job_name: 'night',
      output_log: key === 'owl4' ? `${`${'BAKE-'.repeat(399)}\n`.repeat(127)}${BAKER_LOG}` : BAKER_LOG,
    })),
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'users']![key]!.id as number
const owl = () => id('accounts', 'owl')
const fox = () => id('accounts', 'fox')

async function investigated(build: string) {
  const path = `/api/v1/projects/${id('projects', build.slice(0, 3))}/build_runs/${id('build_runs', build)}`
  const token = studio.world.tokens!.kim!.token as string
  const { json } = await studio.ask(`${path}/investigate`, { method: 'POST', token })
  await runInvestigation(studio.db, json.investigation_id)
  return (await studio.ask(path, { token })).json.investigation
}

describe("an account's rule", () => {
  test('changes the findings of that account, and of nobody else', async () => {
    await failureRules.put(studio.db, owl(), bakerRule)
    expect(await investigated('owl')).toMatchObject({
      status: 'completed',
      category: 'cook_asset_error',
      evidence: [{ line: 2 }],
      diagnosis: expect.stringContaining('no lightmap'),
    })
    expect(await investigated('fox')).toMatchObject({ category: 'compile_error', evidence: [{ line: 3 }] })
    expect(await failureRules.rulesOf(studio.db, fox())).toEqual([])
    await expect(failureRules.find(studio.db, fox(), bakerRule.id)).rejects.toThrow('Rule not found.')
    await expect(failureRules.remove(studio.db, fox(), bakerRule.id)).rejects.toThrow('Rule not found.')
  })

  test('is replaced by one with the same id, stored as written, and gone when removed', async () => {
    const [first] = await failureRules.list(studio.db, owl())
    await failureRules.put(studio.db, owl(), { ...bakerRule, category: 'license_seat' })
    const rules = await failureRules.list(studio.db, owl())
    expect(rules).toEqual([{ ...first, definition: { ...bakerRule, category: 'license_seat' }, updated_at: expect.any(String) }])
    expect(await investigated('owl2')).toMatchObject({ category: 'license_seat' })
    await failureRules.remove(studio.db, owl(), bakerRule.id)
    expect(await failureRules.list(studio.db, owl())).toEqual([])
    expect(await investigated('owl3')).toMatchObject({ category: 'compile_error' })
  })

  test('replaces a built-in rule with the same id', async () => {
    const definition = { ...bakerRule, id: 'gcc.error' }
    const [rule] = await failureRules.put(studio.db, owl(), definition)
    expect(rule).toMatchObject({ rule_id: 'gcc.error', replaces_ours: true })
    await failureRules.remove(studio.db, owl(), 'gcc.error')
  })

  const insert = (definition: object, rules: number) =>
    studio.db.execute(sql`
      insert into failure_rules (account_id, rule_id, definition)
      select ${owl()}, 'baker.r' || n, jsonb_set(${JSON.stringify(definition)}::jsonb, '{id}', to_jsonb('baker.r' || n))
      from generate_series(1, ${rules}::integer) n`)
  const clear = () => studio.db.execute(sql`delete from failure_rules where account_id = ${owl()}`)

  test('that runs long is skipped, and blocks neither the worker nor the service', async () => {
    await insert({ ...bakerRule, match: '(?<msg>.*)BAKE(?<file>.*)-' }, 100)
    // The service runs in this process: a blocked thread would delay our timers.
    let rounds = 0
    const timer = setInterval(() => rounds++, 5)
    const { status, category, steps } = await investigated('owl4')
    clearInterval(timer)
    expect({ status, category }).toEqual({ status: 'completed', category: 'compile_error' })
    expect(steps[0]).toMatchObject({ name: 'own_rules', status: 'skipped' })
    expect(rounds).toBeGreaterThan(20)
    await clear()
  })

  test('with syntax that is no longer supported is disabled, in the list and in the steps', async () => {
    await insert({ ...bakerRule, match: 'BAKE-(?=1)' }, 1)
    expect(await failureRules.list(studio.db, owl())).toMatchObject([
      { rule_id: 'baker.r1', problem: expect.stringMatching(/^A pattern of it must not look ahead or behind/) },
    ])
    const { status, category, steps } = await investigated('owl5')
    expect({ status, category }).toEqual({ status: 'completed', category: 'compile_error' })
    expect(steps[0]).toMatchObject({ name: 'own_rules', status: 'skipped', detail: expect.stringContaining('baker.r1') })
    await failureRules.put(studio.db, owl(), { ...bakerRule, id: 'baker.r1' })
    expect(await failureRules.list(studio.db, owl())).toMatchObject([{ rule_id: 'baker.r1', problem: null }])
    await clear()
  })
})

describe('nothing is stored', () => {
  test.each([
    ['a pattern with a backreference', { ...bakerRule, match: '(B)\\1' }, 'match must not refer back'],
    ['an unknown field', { ...bakerRule, colour: 'red' }, 'colour is not known here'],
    ['a list with one invalid rule', [bakerRule, { ...bakerRule, id: 'baker.b', need: ['x'] }], '[1].need[0] must have'],
  ])('of %s', async (_, given, message) => {
    await expect(failureRules.put(studio.db, owl(), given)).rejects.toThrow(message)
    expect(await failureRules.list(studio.db, owl())).toEqual([])
  })

  test('for an account that does not exist', () =>
    expect(failureRules.put(studio.db, 999, bakerRule)).rejects.toThrow('Account not found.'))

  test('over 200 rules, or over the limit for searched text', async () => {
    await studio.db.execute(sql`
      insert into failure_rules (account_id, rule_id, definition)
      select ${owl()}, 'many.r' || n, ${JSON.stringify(bakerRule)}::jsonb from generate_series(1, 200) n`)
    await expect(failureRules.put(studio.db, owl(), bakerRule)).rejects.toThrow('An account has at most 200 rules.')
    await studio.db.execute(sql`delete from failure_rules where rule_id <> 'many.r1'`)
    const long = (n: number) => {
      const need = Array.from({ length: 20 }, (_, i) => `${n}-${i}-`.padEnd(100, 'x'))
      const log = need.join('\n')
      return { ...bakerRule, id: `long.r${n}`, need, match: `^${n}-`, examples: [{ log, line: 1 }] }
    }
    const many = (count: number) => Array.from({ length: count }, (_, n) => long(n))
    await expect(failureRules.put(studio.db, owl(), many(10))).rejects.toThrow(
      'need holds, together with the other rules, more than 20000 characters.',
    )
    expect(await failureRules.list(studio.db, owl())).toHaveLength(1)
    expect(await failureRules.put(studio.db, owl(), many(9))).toHaveLength(9)
  })
})
