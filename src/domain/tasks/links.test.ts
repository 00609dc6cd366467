import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { removeAll, restoreAll } from './bulk.ts'

let tools: Tools
let shas = 0
beforeAll(async () => {
  tools = await openTools({ wideIds: true })
})
afterAll(() => tools.close())

const newSha = () => (++shas).toString(16).padStart(40, 'c')
const newTask = async () =>
  (await tools.api('tasks', { method: 'POST', body: { task: { title: 'Mend the moon' } } })).id as number

/** One task and the reports about it, as steps that can run in any order. */
async function story() {
  const [task, sha] = [await newTask(), newSha()]
  const number = `${task}00`
  const change = (message = `Mend it, #${task}`) => tools.github(push([commit(sha, { message, added: [], modified: [] })]))
  const build = (more: object = { commit: sha }) =>
    tools.ci({ job_name: 'moon', build_number: number, status: 'SUCCESS', ...more })
  const deployment = () => tools.deployment({ platform: 'steam', event: 'uploaded', build_number: number })
  const links = async () => {
    const { changes, build_runs, deployments } = (await tools.api(`tasks/${task}`)).links
    return [changes.length, build_runs.length, deployments.length]
  }
  return { task, sha, change, build, deployment, links }
}

describe('the links of a task', () => {
  test('are the same in any order of reports: change, build, deployment', async () => {
    for (const order of [
      ['change', 'build', 'deployment'],
      ['build', 'change', 'deployment'],
      ['build', 'deployment', 'change'],
    ] as const) {
      const told = await story()
      for (const one of order) expect((await told[one]()).status).toBe(200)
      expect(await told.links(), order.join()).toEqual([1, 1, 1])
    }
  })

  test('come back with a task that is restored', async () => {
    const told = await story()
    for (const one of ['change', 'build', 'deployment'] as const) await told[one]()
    const { accounts, users } = tools.studio.world
    const by = { account_id: accounts.owl!.id, project_id: tools.project, user_id: users.kim!.id, token_id: null }
    await removeAll(tools.studio.db, by, [told.task])
    await restoreAll(tools.studio.db, by, [told.task])
    expect(await told.links()).toEqual([1, 1, 1])
  })

  test('include a deployment whose build reports its commit late', async () => {
    const told = await story()
    await told.change()
    await told.build({})
    await told.deployment()
    expect(await told.links()).toEqual([1, 0, 0])
    await told.build()
    expect(await told.links()).toEqual([1, 1, 1])
  })

  test('follow a text that names the task only when it is reported again', async () => {
    const told = await story()
    await told.change('Mend it')
    await told.build()
    await told.deployment()
    expect(await told.links()).toEqual([0, 0, 0])
    await told.change(`Mend it, GM-${told.task}`)
    expect(await told.links()).toEqual([1, 1, 1])
  })

  test('have a type each, and a change lists the tasks it names', async () => {
    const told = await story()
    await told.change()
    await told.build()
    await told.deployment()
    const { links } = await tools.api(`tasks/${told.task}`)
    expect(links).toEqual({
      changes: [
        { id: expect.any(Number), identifier: told.sha, source_type: 'GitCommit', display_identifier: told.sha.slice(0, 8) },
      ],
      build_runs: [{ id: expect.any(Number), status: 'completed', commit_hash: told.sha, ci_job_name: 'moon' }],
      deployments: [{ id: expect.any(Number), status: 'approved', platform: 'steam', branch: '' }],
    })
    expect((await tools.api(`changes/${links.changes[0].id}`)).task_ids).toEqual([told.task])
  })

  test('are made only by a complete key of a task of the same project', async () => {
    const told = await story()
    const other = await tools.studio.load({
      projects: [{ key: 'other', account: tools.studio.world.accounts.owl!.id, name: 'Other' }],
      tasks: [{ key: 'foreign', project: 'other', title: 'Elsewhere' }],
    })
    const { task } = told
    await told.change(`x#${task} ##${task} #${task}a GMM-${task} #${task}0 #${other.tasks.foreign!.id} #99999999999`)
    expect(await told.links()).toEqual([0, 0, 0])
    const linked = await tools.studio.db.rows(sql`select from task_changes where task_id = ${other.tasks.foreign!.id}`)
    expect(linked).toEqual([])
  })

  test('ignore the number of a pull request', async () => {
    const { task, change, links } = await story()
    for (const subject of [`Mend it (#${task})`, `Mend it (#1) (#${task})\r`, `Merge pull request #${task} from owl/moon`]) {
      await change(`${subject}\n\nThe moon was flat.`)
      expect(await links(), subject).toEqual([0, 0, 0])
    }
  })

  test('include a number elsewhere in the message, and the same text in a changelist', async () => {
    for (const message of [(id: number) => `Mend (#${id}) the moon`, (id: number) => `Mend it (#1)\n\nAs asked in (#${id})`]) {
      const { task, change, links } = await story()
      await change(message(task))
      expect(await links(), message(task)).toEqual([1, 0, 0])
    }
    const { task, links } = await story()
    const changelist = { changelist: '4711', user: 'kim', description: `Mend it (#${task})`, files: [] }
    await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, changelist)
    await workOff(tools.studio, 'ingest')
    expect(await links()).toEqual([1, 0, 0])
  })
})
