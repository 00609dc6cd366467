import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('a push', () => {
  test('creates changes with files, authors and tasks, assets, and approvals', async () => {
    const task = tools.studio.world.tasks.task!.id
    const sha = 'c'.repeat(40)
    const answer = await tools.github(
      push([commit(sha, { message: `Paint the sky, see #${task}\n\nCo-authored-by: Lee <lee@example.com>` })]),
    )
    expect(answer).toMatchObject({ status: 200, json: { status: 'processed', records: [{ type: 'change' }] } })
    const change = await tools.api(`changes/${answer.json.records[0].id}`)
    expect(change).toMatchObject({
      identifier: sha,
      display_identifier: 'cccccccc',
      source_type: 'GitCommit',
      author: 'Kim Doe',
      timestamp: '2026-10-01T08:00:00.000Z',
      file_count: 3,
      approvals: { pending: 1 },
      task_ids: [task],
    })
    expect(JSON.stringify(change)).not.toContain('@example.com')
    const [row] = await tools.studio.db.rows(sql`select author_user_id, asset_count from changes where id = ${change.id}`)
    expect(row).toEqual({ author_user_id: tools.studio.world.users.kim!.id, asset_count: 2 })
    const { assets } = await tools.api('assets')
    expect(assets.find((asset: { path: string }) => asset.path === 'Content/Sky/T_Sky.png')).toMatchObject({
      asset_type: 'texture',
      approval_status: 'pending',
      last_change_id: change.id,
    })
  })

  test('reported again in another delivery changes no version; a new commit moves the pending approval', async () => {
    const file = { added: ['Content/T_Moved.png'], modified: [] }
    await tools.github(push([commit('d'.repeat(40), file)]))
    await tools.github(push([commit('d'.repeat(40), file)]))
    const find = async () =>
      (await tools.api('assets?limit=50')).assets.find((one: { name: string }) => one.name === 'T_Moved.png')
    expect(await find()).toMatchObject({ version: 1 })
    await tools.github(push([commit('e'.repeat(40), file)]))
    const asset = await find()
    expect(asset.version).toBe(2)
    const { approvals_history } = await tools.api(`assets/${asset.id}`)
    expect(approvals_history).toHaveLength(1)
    const { approvals } = await tools.api(`approvals?commit_sha=${'e'.repeat(40)}`)
    expect(approvals).toMatchObject([{ status: 'pending', approval_stage: 'review', asset_version: 2 }])
  })

  test('that was forced orphans the old head, and a new report of it removes the mark', async () => {
    const old = 'f'.repeat(40)
    await tools.github(push([commit(old)]))
    await tools.github(push([commit('9'.repeat(40))], { forced: true, before: old }))
    expect((await tools.api(`changes?identifier=${old}`)).changes).toEqual([])
    expect((await tools.api(`changes?identifier=${old}&orphaned=true`)).changes).toMatchObject([
      { orphaned_at: expect.any(String) },
    ])
    await tools.github(push([commit(old)]))
    expect((await tools.api(`changes?identifier=${old}`)).changes).toMatchObject([{ orphaned_at: null }])
  })

  test('that was forced on one branch leaves a commit on the others', async () => {
    const shared = '7'.repeat(40)
    const on = (branch: string) => ({ ref: `refs/heads/${branch}` })
    const find = async (query = '') => (await tools.api(`search/changes?identifier=${shared}${query}`)).changes
    await tools.github(push([commit(shared)], on('kept')))
    await tools.github(push([commit(shared)], on('forced')))
    expect(await find()).toMatchObject([{ branches: ['kept', 'forced'] }])
    const leave = (branch: string, to: string) =>
      tools.github(push([commit(to.repeat(40))], { ...on(branch), forced: true, before: shared }))
    await leave('forced', '6')
    expect(await find()).toMatchObject([{ orphaned_at: null, branches: ['kept'] }])
    expect(await find('&branch=kept')).toHaveLength(1)
    expect(await find('&branch=forced')).toEqual([])
    // A branch that started there and has no commits of its own is forced away from it.
    await leave('begun-there', '4')
    expect(await find()).toMatchObject([{ orphaned_at: null, branches: ['kept'] }])
    await tools.github(push([commit(shared)], on('forced')))
    expect(await find('&branch=forced')).toMatchObject([{ branches: ['kept', 'forced'] }])
    await leave('forced', '5')
    await leave('kept', '3')
    expect(await find()).toEqual([])
    expect(await find('&orphaned=true')).toMatchObject([{ orphaned_at: expect.any(String), branches: ['kept', 'forced'] }])
  })

  test('sets the branch of a build that was reported before it', async () => {
    const sha = '9f'.repeat(20)
    await tools.ci({ job_name: 'early', build_number: '1', status: 'SUCCESS', commit: sha })
    const branch = sql`select inferred_branch from build_runs where commit_hash = ${sha}`
    expect(await tools.studio.db.one(branch)).toEqual({ inferred_branch: null })
    await tools.github(push([commit(sha, { added: [], modified: [] })]))
    expect(await tools.studio.db.one(branch)).toEqual({ inferred_branch: 'main' })
  })

  test('delivered 50 times at once is recorded once', async () => {
    const body = push([commit('8'.repeat(40), { added: ['Content/T_Once.png'] })])
    const headers = { 'x-github-delivery': randomUUID() }
    // As a tool does it: refused deliveries are repeated.
    const deliver = async (): ReturnType<typeof tools.github> => {
      const answer = await tools.github(body, headers)
      return answer.status === 503 ? deliver() : answer
    }
    const answers = await Promise.all(Array.from({ length: 50 }, deliver))
    const words = answers.map((answer) => answer.json.status)
    expect(words.filter((word) => word === 'processed')).toHaveLength(1)
    expect(words.filter((word) => word === 'duplicate')).toHaveLength(49)
    const { assets } = await tools.api('assets?limit=50')
    expect(assets.find((one: { name: string }) => one.name === 'T_Once.png').version).toBe(1)
  })

  test('of several commits leaves an asset with the last of them', async () => {
    // In chronological order, which is not alphabetical.
    const shas = ['e5', '1a', 'f6', '2b'].map((pair) => pair.repeat(20))
    const files = { added: [], modified: ['Content/Sea/T_Sea.png'], removed: [] }
    expect((await tools.github(push(shas.map((sha) => commit(sha, files))))).status).toBe(200)
    const asset = await tools.studio.db.one(sql`
      select a.version, c.identifier, p.commit_sha from assets a join changes c on c.account_id = a.account_id and c.id = a.last_change_id
        join approvals p on p.account_id = a.account_id and p.asset_id = a.id where a.path = 'Content/Sea/T_Sea.png'`)
    expect(asset).toEqual({ version: 4, identifier: shas[3], commit_sha: shas[3] })
  })
})
