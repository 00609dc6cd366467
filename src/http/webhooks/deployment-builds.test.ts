import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'

/** The build of a deployment: reported by webhooks, read by REST. */

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

/** Numbers that no other test uses. */
let number = 1000
beforeEach(() => {
  number += 10
})

const build = async (job_name: string, status: string, more: object = {}) => {
  const { json } = await tools.ci({ job_name, build_number: number, status, ...more })
  return String(json.records[0].id)
}
const ship = async (more: object = {}) => {
  const { json } = await tools.deployment({ platform: 'steam', event: 'uploaded', build_number: number, ...more })
  return json.records[0].id as string
}
const linkOf = (id: string) => tools.api(`deployments/${id}/build`)
const buildOf = async (id: string) => (await tools.api(`deployments/${id}`)).build_run_id
const edit = (id: string, body: object) => tools.api(`deployments/${id}`, { method: 'PATCH', body })

describe('a deployment', () => {
  test('is not linked to a failed job with the same number, nor by the number alone', async () => {
    const shipped = await build('Ship-Win64', 'SUCCESS')
    await build('Unit-Tests', 'FAILURE')
    const id = await ship()
    expect(await buildOf(id)).toBeNull()
    expect(await linkOf(id)).toMatchObject({
      build_run_id: null,
      basis: null,
      reason: 'number_only',
      candidates: [{ id: shipped, ci_job_name: 'Ship-Win64', status: 'completed' }],
    })
  })

  test('has the build of the job and number it names', async () => {
    const shipped = await build('Ship-Win64', 'SUCCESS')
    await build('Unit-Tests', 'SUCCESS')
    const id = await ship({ job_name: 'Ship-Win64' })
    expect(await linkOf(id)).toMatchObject({ build_run_id: shipped, basis: 'job', reason: null })
  })

  test('has the build of a number that no other job has', async () => {
    const shipped = await build('Ship-Win64', 'SUCCESS')
    expect(await linkOf(await ship())).toMatchObject({ build_run_id: shipped, basis: 'number' })
  })

  test('is not linked to a build that failed or is still running, however exactly it is named', async () => {
    const failed = await build('Ship-Win64', 'FAILURE')
    const id = await ship({ job_name: 'Ship-Win64', build_run_id: failed })
    expect(await linkOf(id)).toMatchObject({ build_run_id: null, reason: 'not_passed', candidates: [{ id: failed }] })
    number += 1
    await build('Ship-Win64', 'STARTED')
    const early = await ship({ job_name: 'Ship-Win64' })
    expect(await buildOf(early)).toBeNull()
    const passed = await build('Ship-Win64', 'SUCCESS')
    expect(await linkOf(early)).toMatchObject({ build_run_id: passed, basis: 'job' })
  })

  test('is linked when its build is reported later, and unlinked when the build turns out to have failed', async () => {
    const id = await ship({ job_name: 'Ship-PS5', platform: 'ps5' })
    expect(await linkOf(id)).toMatchObject({ build_run_id: null, reason: 'not_known', candidates: [] })
    await build('Unit-Tests', 'SUCCESS')
    expect(await buildOf(id)).toBeNull()
    const late = await build('Ship-PS5', 'SUCCESS')
    expect(await buildOf(id)).toBe(late)
    await build('Ship-PS5', 'FAILURE', { timestamp: '2026-10-01T10:00:00Z' })
    expect(await buildOf(id)).toBeNull()
  })

  test('of a commit that two jobs built has no build until a person picks one', async () => {
    const commit = `c0ffee${number}`
    const [win, linux] = [await build('Win', 'SUCCESS', { commit }), await build('Linux', 'SUCCESS', { commit })]
    const id = await ship({ build_number: undefined, commit, version: `v${number}`, platform: 'epic' })
    const { reason, candidates } = await linkOf(id)
    expect(reason).toBe('several')
    expect(candidates.map((one: { id: string }) => one.id).sort()).toEqual([win, linux].sort())
    expect(await edit(id, { build_run_id: linux })).toMatchObject({ build_run_id: linux })
    expect(await linkOf(id)).toMatchObject({ build_run_id: linux, basis: 'person' })
    await build('Mac', 'SUCCESS', { commit })
    expect(await buildOf(id)).toBe(linux)
    expect(await edit(id, { build_run_id: null })).toMatchObject({ build_run_id: null })
    expect(await linkOf(id)).toMatchObject({ reason: 'removed' })
  })

  test('that names a changelist or an artifact version has the one passed build there', async () => {
    const changelist = String(number * 100)
    const at = await build('Nightly', 'SUCCESS', { changelist })
    await build('Nightly-Lint', 'FAILURE', { changelist })
    const byChange = await ship({ build_number: undefined, changelist, external_build_id: `cl${number}`, platform: 'gog' })
    expect(await linkOf(byChange)).toMatchObject({ build_run_id: at, basis: 'changelist' })

    number += 1
    const named = await build('Packages', 'SUCCESS', { artifacts: [{ name: `Game-7.${number}.0-win64.zip` }] })
    await build('Packages-RC', 'SUCCESS', {
      artifacts: [{ name: `Game-7.${number}.0-rc1.zip` }, { name: `Game-17.${number}.0.zip` }],
    })
    const byVersion = await ship({ build_number: undefined, version: `7.${number}.0`, platform: 'itch.io' })
    expect(await linkOf(byVersion)).toMatchObject({ build_run_id: named, basis: 'version' })
  })

  test('with contradictory fields has no build', async () => {
    await build('Ship-Win64', 'SUCCESS', { commit: 'aaaa1111' })
    const id = await ship({ job_name: 'Ship-Win64', commit: 'bbbb2222' })
    expect(await linkOf(id)).toMatchObject({ build_run_id: null, reason: 'contradiction' })
  })

  test("that names only a number has the build of the store's previous job", async () => {
    const platform = `shop ${number}`
    const first = await build('Ship-Shop', 'SUCCESS')
    expect(await buildOf(await ship({ platform, job_name: 'Ship-Shop' }))).toBe(first)
    number += 1
    const second = await build('Ship-Shop', 'SUCCESS')
    await build('Unit-Tests', 'SUCCESS')
    expect(await linkOf(await ship({ platform }))).toMatchObject({ build_run_id: second, basis: 'number' })
  })

  test('keeps the build of the job that was usual when it was shipped, also if its report is repeated', async () => {
    const platform = `later shop ${number}`
    await build('Ship-Shop', 'SUCCESS')
    const usual = await ship({ platform, job_name: 'Ship-Shop' })
    number += 1
    const [shipped] = [await build('Ship-Shop', 'SUCCESS'), await build('Ship-Demo', 'SUCCESS')]
    const id = await ship({ platform })
    number += 1
    await build('Ship-Demo', 'SUCCESS')
    expect(await buildOf(await ship({ platform, job_name: 'Ship-Demo' }))).not.toBeNull()
    number -= 1
    expect(await ship({ platform, version: '' })).toBe(id)
    await build('Ship-Demo', 'SUCCESS', { url: 'https://ci.example/again' })
    expect(await linkOf(id)).toMatchObject({ build_run_id: shipped, basis: 'number' })
    await edit(usual, { build_run_id: null })
    expect(await linkOf(id)).toMatchObject({ build_run_id: null, reason: 'number_only' })
  })

  test('that names only a number is linked once the build of the deployment before it is known', async () => {
    const platform = `early shop ${number}`
    await ship({ platform, job_name: 'Ship-Shop' })
    number += 1
    const second = await build('Ship-Shop', 'SUCCESS')
    await build('Unit-Tests', 'SUCCESS')
    const id = await ship({ platform })
    expect(await buildOf(id)).toBeNull()
    number -= 1
    await build('Ship-Shop', 'SUCCESS')
    expect(await linkOf(id)).toMatchObject({ build_run_id: second, basis: 'number' })
  })

  test('cannot be linked manually to a failed build, a build of another project or an unknown id', async () => {
    const failed = await build('Ship-Win64', 'FAILURE')
    const id = await ship({ job_name: 'Ship-Win64' })
    for (const wrong of [failed, '999999999', 'x', {}, -1, 1.5])
      expect((await edit(id, { build_run_id: wrong })).error, JSON.stringify(wrong)).toBe('invalid_parameter')
    expect(await buildOf(id)).toBeNull()
  })
})

describe('each of two jobs', () => {
  test('with the same number has its own deployment in the same store', async () => {
    const [win, linux] = [await ship({ job_name: 'Win' }), await ship({ job_name: 'Linux' })]
    expect(win).not.toBe(linux)
    const unclear = await tools.deployment({ platform: 'steam', event: 'live', build_number: number })
    expect(unclear.json).toMatchObject({ status: 'ignored', records: [], warnings: [expect.stringContaining('job_name')] })
    expect((await tools.api(`deployments/${win}`)).status).toBe('approved')
  })
})

describe('a state set by a person', () => {
  test('shows person and reason in the history and in the audit log', async () => {
    const id = await ship({ platform: 'switch', job_name: 'Ship-Switch' })
    expect(await edit(id, { status: 'live' })).toMatchObject({
      error: 'invalid_parameter',
      message: expect.stringContaining('note'),
    })
    expect(await edit(id, { status: 'live', note: 'Nintendo wrote a mail' })).toMatchObject({
      status: 'live',
      live_at: expect.any(String),
    })
    const { history } = await tools.api(`deployments/${id}/history`)
    expect(history[0]).toMatchObject({
      kind: 'status',
      user_id: tools.studio.world.users.kim!.id,
      before: 'uploading',
      after: 'live',
      note: 'Nintendo wrote a mail',
    })
    expect(history.at(-1)).toMatchObject({ kind: 'status', user_id: null, after: 'uploading' })
  })
})
