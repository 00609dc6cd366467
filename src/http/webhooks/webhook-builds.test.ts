import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { ingest } from '../../intake/ingest.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('a build', () => {
  test('moves forward, never back; a late report is stale', async () => {
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

  test('of GitHub is identified by workflow and number, even if two numbers have one id', async () => {
    const run = async (run_number: number, action: string, conclusion: string | null) => {
      const workflow_run = { id: 77, name: 'Nightly', run_number, conclusion, head_sha: '9'.repeat(40) }
      const { json } = await tools.github({ action, workflow_run }, { 'x-github-event': 'workflow_run' })
      const [{ id }] = json.records
      return { id, status: (await tools.api(`build_runs/${id}`)).status }
    }
    const [first, second] = [await run(1, 'in_progress', null), await run(2, 'in_progress', null)]
    expect(second).not.toEqual(first)
    expect(await run(2, 'completed', 'failure')).toEqual({ id: second.id, status: 'failed' })
    expect(await run(1, 'completed', 'success')).toEqual({ id: first.id, status: 'completed' })
  })

  test('with only its end reported has no start, unless it has a duration', async () => {
    const report = async (build_number: number, more: object) => {
      const { json } = await tools.ci({ job_name: 'short', build_number, status: 'FAILURE', ...more })
      return tools.api(`build_runs/${json.records[0].id}`)
    }
    expect(await report(1, {})).toMatchObject({ started_at: null, finished_at: expect.any(String), duration_seconds: null })
    const { started_at, finished_at, duration_seconds } = await report(2, { duration_seconds: 90 })
    expect([Date.parse(finished_at) - Date.parse(started_at), duration_seconds]).toEqual([90_000, 90])
  })

  test('with an unknown status is 422 and lists the known ones; nothing is recorded', async () => {
    const answer = await tools.ci({ job_name: 'odd', build_number: 1, status: 'EXPLODED' })
    expect(answer).toMatchObject({ status: 422, json: { error: 'unreadable_body', delivery_id: expect.any(String) } })
    expect(answer.json.message).toContain('success')
    expect(await tools.studio.db.rows(sql`select id from build_runs where ci_job_name = 'odd'`)).toEqual([])
  })

  test('that passed waits while its commit has an open approval, and completes when it is decided', async () => {
    const sha = '7'.repeat(40)
    await tools.github(push([commit(sha, { added: ['Content/T_Gate.png'] })]))
    const { json } = await tools.ci({ job_name: 'gate', build_number: 1, status: 'SUCCESS', commit: sha })
    const status = async () => (await tools.api(`build_runs/${json.records[0].id}`)).status
    expect(await status()).toBe('passed_pending_approval')
    const [{ asset_id }] = (await tools.api(`approvals?commit_sha=${sha}`)).approvals
    await tools.api(`assets/${asset_id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    expect(await status()).toBe('completed')
  })

  test('that passed before its commit was reported does not wait when its report is repeated', async () => {
    const sha = '4'.repeat(40)
    const build = (build_number: number) => tools.ci({ job_name: 'early', build_number, status: 'SUCCESS', commit: sha })
    const { json } = await build(1)
    await tools.github(push([commit(sha, { added: ['Content/T_Early.png'] })]))
    const { json: later } = await build(2)
    await tools.ci({ number: 1, job_name: 'early', build_number: 1, commit: sha, status: 'SUCCESS' })
    const statusOf = async ({ records }: typeof json) => (await tools.api(`build_runs/${records[0].id}`)).status
    expect([await statusOf(json), await statusOf(later)]).toEqual(['completed', 'passed_pending_approval'])
  })

  test('continues when the approval it waited for moves to a newer commit', async () => {
    const [old, newer] = ['6'.repeat(40), '3'.repeat(40)]
    const file = { added: ['Content/T_Moving.png'], modified: [] }
    await tools.github(push([commit(old, file)]))
    const { json } = await tools.ci({ job_name: 'moves', build_number: 1, status: 'SUCCESS', commit: old })
    const status = async () => (await tools.api(`build_runs/${json.records[0].id}`)).status
    expect(await status()).toBe('passed_pending_approval')
    await tools.github(push([commit(newer, file)]))
    expect(await status()).toBe('completed')
  })

  test('that its CI blocks waits for the CI, whatever is approved', async () => {
    const sha = '2'.repeat(40)
    await tools.github(push([commit(sha, { added: ['Content/T_Held.png'], modified: [] })]))
    const build = (status: string) => tools.ci({ job_name: 'held', build_number: 1, status, commit: sha })
    const { json } = await build('blocked')
    const status = async () => (await tools.api(`build_runs/${json.records[0].id}`)).status
    const [{ asset_id }] = (await tools.api(`approvals?commit_sha=${sha}`)).approvals
    await tools.api(`assets/${asset_id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    expect(await status()).toBe('passed_pending_approval')
    expect((await build('SUCCESS')).json.status).toBe('processed')
    expect(await status()).toBe('completed')
  })

  test('of a changelist waits for the approvals of that changelist', async () => {
    const send = { changelist: 900, user: 'kim', description: 'Paint', files: ['//depot/Content/T_Depot.png'] }
    const { json: reported } = await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, send)
    await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: Number(reported.delivery_id) })
    const { json } = await tools.ci({ job_name: 'depot', build_number: 1, status: 'SUCCESS', changelist: '900' })
    expect((await tools.api(`build_runs/${json.records[0].id}`)).status).toBe('passed_pending_approval')
  })

  test.each(['logs_tail', 'log', 'console'])(
    'keeps the last 256,000 characters of its %s, and no half characters',
    async (name) => {
      // Every character has two UTF-16 units and four bytes; the single one in front makes every cut by either fall inside a character.
      const log = `x${'😀'.repeat(300_000)}the end`
      const { json } = await tools.ci({ job_name: 'long', build_number: name, status: 'FAILURE', [name]: log })
      const [row] = await tools.studio.db.rows<{ output_log: string }>(
        sql`select output_log from build_runs where id = ${json.records[0].id}`,
      )
      expect([...row!.output_log]).toHaveLength(256_000)
      expect(row!.output_log.replaceAll('😀', '')).toBe('the end')
    },
  )

  test('without a log has none, and a report without one removes none', async () => {
    const build = (status: string, more = {}) => tools.ci({ job_name: 'quiet', build_number: 1, status, ...more })
    const { json } = await build('STARTED')
    const logOf = async () =>
      (await tools.studio.db.one<{ output_log: string }>(
        sql`select output_log from build_runs where id = ${json.records[0].id}`,
      ))!.output_log
    expect(await logOf()).toBeNull()
    await build('FAILURE', { log: 'it broke' })
    await build('ABORTED')
    expect(await logOf()).toBe('it broke')
  })

  test('triggered by a commit is taken over by the first report of that job and commit', async () => {
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
    // Of another build that cooks at the same time.
    const other = (await engine('cooking_started', { build_number: 6 })).json.records[0].id
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
    expect((await tools.api(`build_runs/${other}`)).steps).toMatchObject([{ name: 'cooking', status: 'running' }])
  })

  test('learns the tool’s own id of its build from a later report, unless another build has it', async () => {
    const tell = async (event: string, body: object) =>
      (await tools.post(`game_engine/${event}?token=${tools.tokenOf('game_engine')}`, body)).json.records[0].id as number
    const first = await tell('cooking_started', { job_name: 'bake', build_number: 1 })
    const second = await tell('cooking_started', { job_name: 'bake', build_number: 2 })
    expect(await tell('cooking_started', { job_name: 'bake', build_number: 1, build_id: 'b-one' })).toBe(first)
    expect(await tell('cooking_started', { job_name: 'bake', build_number: 2, build_id: 'b-one' })).toBe(second)
    expect(await tell('build_completed', { build_id: 'b-one' })).toBe(first)
  })

  test("without a number does not take another one's number", async () => {
    const engine = async (body: object) => {
      const { status, json } = await tools.post(`game_engine/cooking_started?token=${tools.tokenOf('game_engine')}`, body)
      expect(status).toBe(200)
      return json.records[0].id
    }
    const other = await engine({ build_number: 900 })
    const named = await engine({ build_id: 'night-a' })
    expect(await engine({ build_id: 'night-a', build_number: 900 })).toBe(named)
    expect(await tools.api(`build_runs/${named}`)).toMatchObject({ build_number: '' })
    expect(await tools.api(`build_runs/${other}`)).toMatchObject({ build_number: '900' })
  })
})
