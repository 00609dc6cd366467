import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../test/tools.ts'
import { sql } from '../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('a build', () => {
  test('moves on, never back; a late report is stale', async () => {
    const build = (status: string, more: object = {}) => tools.ci({ job_name: 'night', build_number: 218, status, ...more })
    const first = await build('STARTED')
    expect(first.json).toMatchObject({ status: 'processed', records: [{ type: 'build_run' }] })
    const id = first.json.records[0].id
    expect((await build('FAILURE', { logs_tail: `${'é'.repeat(300_000)}end` })).json.records).toEqual([{ type: 'build_run', id }])
    expect((await build('queued')).json.status).toBe('stale')
    expect(await tools.api(`build_runs/${id}`)).toMatchObject({
      status: 'failed',
      build_type: 'unreal',
      target_type: 'development',
    })
    const [{ length }] = (await tools.studio.db.rows(
      sql`select length(output_log) as length from build_runs where id = ${id}`,
    )) as [{ length: number }]
    expect(length).toBe(256_000)
    expect((await build('SUCCESS')).json.status).toBe('processed')
    expect(await tools.api(`build_runs/${id}`)).toMatchObject({ status: 'completed' })
  })

  test('with a word nobody knows is 422 and says which are known; nothing is recorded', async () => {
    const answer = await tools.ci({ job_name: 'odd', build_number: 1, status: 'EXPLODED' })
    expect(answer).toMatchObject({ status: 422, json: { error: 'unreadable_body', delivery_id: expect.any(String) } })
    expect(answer.json.message).toContain('success')
    expect(await tools.studio.db.rows(sql`select id from build_runs where ci_job_name = 'odd'`)).toEqual([])
  })

  test('that passed waits while its commit has an open approval, and is done when it is decided', async () => {
    const sha = '7'.repeat(40)
    await tools.github(push([commit(sha, { added: ['Content/T_Gate.png'] })]))
    const { json } = await tools.ci({ job_name: 'gate', build_number: 1, status: 'SUCCESS', commit: sha })
    const status = async () => (await tools.api(`build_runs/${json.records[0].id}`)).status
    expect(await status()).toBe('passed_pending_approval')
    const [{ asset_id }] = (await tools.api(`approvals?commit_sha=${sha}`)).approvals
    await tools.api(`assets/${asset_id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    expect(await status()).toBe('completed')
  })

  test('triggered by a commit is adopted by the first report of that job and commit', async () => {
    const path = `ci/commit_trigger?token=${tools.tokenOf('jenkins')}`
    const { json } = await tools.post(path, { job_name: 'adopt', commit: 'abc123' })
    const id = json.records[0].id
    expect(await tools.api(`build_runs/${id}`)).toMatchObject({ status: 'queued', build_number: '' })
    const report = await tools.ci({ job_name: 'adopt', build_number: 7, status: 'RUNNING', commit: 'abc123' })
    expect(report.json.records).toEqual([{ type: 'build_run', id }])
    expect(await tools.api(`build_runs/${id}`)).toMatchObject({ status: 'building', build_number: '7' })
  })

  test('of an engine joins the build of the CI with that job and number', async () => {
    const { json } = await tools.ci({ job_name: 'cook', build_number: 5, status: 'STARTED' })
    const engine = (event: string, body: object) =>
      tools.post(`game_engine/${event}?token=${tools.tokenOf('game_engine')}`, { job_name: 'cook', build_number: 5, ...body })
    const cooking = await engine('cooking_started', { total: 10 })
    expect(cooking.json.records).toEqual(json.records)
    await engine('asset_cooked', { asset: 'Content/Hero.uasset', cooked: 1, total: 10 })
    await engine('packaging_started', {})
    const build = await tools.api(`build_runs/${json.records[0].id}`)
    expect(build.status).toBe('building')
    expect(build.steps.map((step: { name: string; status: string }) => [step.name, step.status])).toEqual([
      ['cooking', 'completed'],
      ['packaging', 'running'],
    ])
  })
})
