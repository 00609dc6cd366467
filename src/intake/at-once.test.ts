import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waiting } from '../../test/support/blocked.ts'
import { commit, openTools, push, type Tools } from '../../test/support/tools.ts'
import { type Database, sql } from '../db/database.ts'
import * as approvals from '../domain/assets/decisions.ts'
import { lockProject } from '../domain/branches/project-lock.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import { apply } from './apply.ts'
import type { Fact } from './facts.ts'

let tools: Tools
let count = 0
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const newSha = () => (++count).toString(16).padStart(40, 'd')
const newTask = async () =>
  (await tools.api('tasks', { method: 'POST', body: { task: { title: 'Mend the moon' } } })).id as number
const approver = () => ({ user_id: tools.studio.world.users.kim!.id as number, project_role: 'lead' as const })
/** The account of the tools is that of their project. */
const ownerOf = () => ({ account_id: Object.values(tools.studio.world.accounts)[0]!.id as number, project_id: tools.project })

const linksOf = async (task: number) => {
  const { changes, build_runs, deployments } = (await tools.api(`tasks/${task}`)).links
  return [changes.length, build_runs.length, deployments.length]
}

const tell = async (db: Database, provider: string, facts: Fact[]) =>
  apply(db, await webhooks.open(tools.studio.db, tools.studio.service.vault, tools.tokenOf(provider), provider), facts)

/** `second` runs while the writes of `first` are not committed; `first` commits when the other waits for it or has ended. */
async function atOnce(first: (db: Database) => Promise<unknown>, second: () => Promise<unknown>) {
  const { db } = tools.studio
  let commit = () => {}
  const told = new Promise<void>((resolve) => {
    commit = resolve
  })
  const one = await new Promise<{ ends: Promise<void> }>((resolve, reject) => {
    const ends = db.transaction(async (db) => {
      await first(db)
      resolve({ ends })
      await told
    })
    ends.catch(reject)
  })
  let ended = false
  const two = second().finally(() => {
    ended = true
  })
  while (!ended && (await waiting(db)) === 0) await sleep(5)
  commit()
  await Promise.all([one.ends, two])
}

const build = (number: string, sha?: string): Fact => ({
  kind: 'build',
  build: { job: 'moon', number },
  status: 'completed',
  ...(sha && { commit_hash: sha }),
})

const change = (sha: string, path: string): Fact => ({
  kind: 'change',
  source_type: 'GitCommit',
  identifier: sha,
  author: 'Kim',
  author_uids: [],
  description: '',
  timestamp: null,
  branch: 'main',
  files: [{ path, action: 'add' }],
})

describe('a task is linked to records that are reported at the same instant', () => {
  test('a build and its commit', async () => {
    const [task, sha] = [await newTask(), newSha()]
    const pushed = () => tools.github(push([commit(sha, { message: `Mend it, #${task}`, added: [], modified: [] })]))
    await atOnce((db) => tell(db, 'jenkins', [build(`${task}`, sha)]), pushed)
    expect(await linksOf(task)).toEqual([1, 1, 0])
  })

  test('a deployment and the commit of its build', async () => {
    const [task, sha] = [await newTask(), newSha()]
    await tools.ci({ job_name: 'moon', build_number: `${task}`, status: 'SUCCESS', commit: sha })
    const deployed: Fact = { kind: 'deployment', platform: 'steam', key: `${task}`, build_number: `${task}`, status: 'live' }
    const pushed = () => tools.github(push([commit(sha, { message: `GM-${task}`, added: [], modified: [] })]))
    await atOnce((db) => tell(db, 'deployment', [deployed]), pushed)
    expect(await linksOf(task)).toEqual([1, 1, 1])
  })

  test("a deployment and the late report of its build's commit", async () => {
    const [task, sha] = [await newTask(), newSha()]
    await tools.github(push([commit(sha, { message: `#${task}`, added: [], modified: [] })]))
    await tools.ci({ job_name: 'moon', build_number: `${task}`, status: 'SUCCESS' })
    const deployed = () => tools.deployment({ platform: 'steam', event: 'released', build_number: `${task}` })
    await atOnce((db) => tell(db, 'jenkins', [build(`${task}`, sha)]), deployed)
    expect(await linksOf(task)).toEqual([1, 1, 1])
  })
})

describe('builds of one project that are reported at the same instant', () => {
  const count = (number: string) => tools.studio.db.execute(sql`select from build_runs where build_number = ${number}`)

  test('are written in parallel', async () => {
    const { db } = tools.studio
    await db.transaction(async (db) => {
      await tell(db, 'jenkins', [build('side 1')])
      expect(await tools.ci({ job_name: 'moon', build_number: 'side 2', status: 'SUCCESS', log: 'done' })).toMatchObject({
        status: 200,
        json: { status: 'processed' },
      })
    })
    expect(await count('side 1')).toBe(1)
  })

  test('are one build if they have the same name', async () => {
    const told = () => tools.ci({ job_name: 'moon', build_number: 'twin', status: 'SUCCESS', branch: 'main' })
    await atOnce((db) => tell(db, 'jenkins', [build('twin')]), told)
    expect(await count('twin')).toBe(1)
    const cooked = () =>
      tools.post(`game_engine/cooking_started?token=${tools.tokenOf('game_engine')}`, { build_number: 'cooked' })
    await atOnce((db) => tell(db, 'jenkins', [build('cooked')]), cooked)
    expect(await count('cooked')).toBe(1)
  })

  test('in bursts, between pushes, deployments and decisions, do not deadlock', async () => {
    const { db } = tools.studio
    const deadlocks = async () =>
      (await db.one<{ deadlocks: number }>(
        sql`select pg_stat_get_db_deadlocks(oid) as deadlocks from pg_database where datname = current_database()`,
      ))!.deadlocks
    const [before, task, kim] = [await deadlocks(), await newTask(), approver()]
    const shas = Array.from({ length: 4 }, newSha)
    await tools.github(push(shas.map((sha) => commit(sha, { added: [`Content/T_${sha}.png`], modified: [] }))))
    const asked = (await tools.api(`approvals?commit_sha=${shas[0]}`)).approvals as { asset_id: string }[]
    // On a busy machine some wait too long and have to retry.
    const repeated = async (send: () => ReturnType<typeof tools.ci>) => {
      for (;;) {
        const answer = await send()
        if (answer.status !== 503) return answer
      }
    }
    const flock = Array.from({ length: 64 }, async (_, i) => {
      const log = `line ${i}\n`.repeat(2_000)
      const status = i % 2 ? 'SUCCESS' : 'STARTED'
      const told = { job_name: 'flock', build_number: `flock ${i % 8}`, status, commit: shas[i % 4], log }
      return repeated(() => tools.ci(told))
    })
    const others = shas.flatMap((sha, i) => [
      repeated(() => tools.github(push([commit(sha, { message: `Mend it, #${task}`, added: [], modified: [] })]))),
      repeated(() => tools.deployment({ platform: 'steam', event: 'released', build_number: `flock ${i}` })),
      approvals.decide(db, ownerOf(), asked[0]!.asset_id, kim, { status: i % 2 ? 'approved' : 'denied' }),
    ])
    for (const answer of await Promise.all(flock)) expect(answer.status).toBe(200)
    await Promise.all(others)
    expect(await db.execute(sql`select from build_runs where ci_job_name = 'flock'`)).toBe(8)
    // Only passed builds are deployed: those with odd numbers.
    expect(await linksOf(task)).toEqual([4, 8, 2])
    expect(await deadlocks()).toBe(before)
  })
})

test('a commit that is reported twice in the same millisecond gives its files one version', async () => {
  const [sha, path] = [newSha(), 'Content/T_SameMoment.png']
  const told = change(sha, path)
  // In one transaction both have the same time.
  await tools.studio.db.transaction(async (db) => {
    for (let times = 0; times < 3; times++) await tell(db, 'github', [told])
  })
  expect(await tools.studio.db.rows(sql`select version from assets where path = ${path}`)).toEqual([{ version: 1 }])
})

describe('an asset that is pushed at the same instant', () => {
  const pushed = (sha: string, path: string) => tools.github(push([commit(sha, { added: [path], modified: [] })]))
  const asked = (path: string) =>
    tools.studio.db.rows(sql`
      select p.commit_sha, p.status, p.asset_version from approvals p join assets a on a.account_id = p.account_id and a.id = p.asset_id where a.path = ${path}
      order by p.created_at, p.id`)

  test('by two for the first time needs one approval', async () => {
    const [one, two, path] = [newSha(), newSha(), 'Content/T_First.png']
    await atOnce(
      (db) => tell(db, 'github', [change(one, path)]),
      () => pushed(two, path),
    )
    expect(await asked(path)).toEqual([{ commit_sha: two, status: 'pending', asset_version: 2 }])
  })

  test('while somebody decides still needs approval: the decision was about the previous version', async () => {
    const [one, two, path] = [newSha(), newSha(), 'Content/T_Decided.png']
    await pushed(one, path)
    const [{ asset_id }] = (await tools.api(`approvals?commit_sha=${one}`)).approvals
    const kim = approver()
    await atOnce(
      (db) => approvals.decide(db, ownerOf(), asset_id, kim, { status: 'approved' }),
      () => pushed(two, path),
    )
    expect(await asked(path)).toEqual([
      { commit_sha: one, status: 'approved', asset_version: 1 },
      { commit_sha: two, status: 'pending', asset_version: 2 },
    ])
  })
})

test('a push that brings known commits to a branch with a rule locks assets as a decision about several does', async () => {
  const { db } = tools.studio
  const [known, old, fresh] = [newSha(), newSha(), newSha()]
  const [first, second] = ['Content/T_Order_A.png', 'Content/T_Order_Z.png']
  const setRules = (rules: object[] | null) =>
    db.execute(sql`update projects set approval_rules = ${rules && JSON.stringify(rules)}::jsonb where id = ${tools.project}`)
  await setRules([{ path: 'Content/*', asset_types: [], branch: 'main', author: '' }])
  await tools.github(push([commit(known, { added: [first], modified: [] })], { ref: 'refs/heads/dev' }))
  await tools.github(push([commit(old, { added: [second], modified: [] })]))
  const idOf = async (path: string) => (await db.one<{ id: string }>(sql`select id from assets where path = ${path}`))!.id
  const ids = [await idOf(first), await idOf(second)] as const
  const facts = [change(known, first), change(fresh, second)]
  let pushed: Promise<unknown> | undefined
  // A decision about both, in slow motion.
  await db.transaction(async (deciding) => {
    await approvals.lockAssets(deciding, ownerOf(), [ids[0]])
    let ended = false
    pushed = db
      .transaction((pushing) => tell(pushing, 'github', facts))
      .finally(() => {
        ended = true
      })
    while (!ended && (await waiting(db)) === 0) await sleep(5)
    expect(ended, 'the push waits for the first asset').toBe(false)
    await approvals.lockAssets(deciding, ownerOf(), [ids[1]])
    await lockProject(deciding, tools.project)
  })
  await pushed
  const asked = await db.rows(
    sql`select commit_sha from approvals where asset_id = any (${ids}::uuid[]) and status = 'pending' order by asset_name`,
  )
  expect(asked).toEqual([{ commit_sha: known }, { commit_sha: fresh }])
  await setRules(null)
})

test('a preview is added to an asset that somebody decides about, without waiting', async () => {
  const { db } = tools.studio
  const path = 'Content/T_Decided_Now.png'
  await tools.github(push([commit(newSha(), { added: [path], modified: [] })]))
  const { id } = (await db.one<{ id: string }>(sql`select id from assets where path = ${path}`))!
  const { account_id, project_id } = ownerOf()
  await db.transaction(async (deciding) => {
    await approvals.lockAssets(deciding, ownerOf(), [id])
    await db.execute(sql`
      insert into previews (account_id, project_id, asset_id, version, state) values (${account_id}, ${project_id}, ${id}, 1, 'pending')`)
  })
})

describe('a build that passes', () => {
  const gate = async () => {
    const sha = newSha()
    await tools.github(push([commit(sha, { added: [`Content/T_${sha}.png`], modified: [] })]))
    const [{ asset_id }] = (await tools.api(`approvals?commit_sha=${sha}`)).approvals
    return { sha, asset_id: asset_id as string }
  }
  const statusOf = async (sha: string) =>
    (await tools.studio.db.one<{ status: string }>(sql`select status from build_runs where commit_hash = ${sha}`))!.status

  test('while its last approval is decided does not wait forever', async () => {
    const { sha, asset_id } = await gate()
    const approve = () => tools.api(`assets/${asset_id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    await atOnce((db) => tell(db, 'jenkins', [build(sha, sha)]), approve)
    expect(await statusOf(sha)).toBe('completed')
  })

  test('after a decision that is not committed yet waits for it', async () => {
    const { sha, asset_id } = await gate()
    const kim = approver()
    const approve = (db: Database) => approvals.decide(db, ownerOf(), asset_id, kim, { status: 'approved' })
    await atOnce(approve, () => tools.ci({ job_name: 'moon', build_number: sha, status: 'SUCCESS', commit: sha }))
    expect(await statusOf(sha)).toBe('completed')
  })

  test('does not block decisions about several assets while others are decided and pushed', async () => {
    const gates = await Promise.all(Array.from({ length: 6 }, gate))
    const kim = approver()
    const ids = gates.map(({ asset_id }) => asset_id)
    const rounds = Array.from({ length: 5 }, () => [
      approvals.decideAll(tools.studio.db, ownerOf(), kim, { asset_ids: ids, status: 'approved' }),
      ...ids.map((id) => approvals.decide(tools.studio.db, ownerOf(), id, kim, { status: 'ignored' })),
      ...gates.map(({ sha }) => tools.ci({ job_name: 'moon', build_number: sha, status: 'SUCCESS', commit: sha })),
      tools.github(push([commit(newSha(), { added: gates.map(({ sha }) => `Content/T_${sha}.png`), modified: [] })])),
    ])
    for (const answer of await Promise.all(rounds.flat()))
      if ('status' in answer && typeof answer.status === 'number') expect(answer.status).toBe(200)
  })
})
