import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { fixtures, sendAll } from '../../../test/support/files/samples.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { keysNamed } from './tracker-keys.ts'

let tools: Tools
let kim: Visitor
beforeAll(async () => {
  tools = await openTools()
  kim = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
})
afterAll(() => tools.close())

const samples = fixtures()
/** Replays recorded deliveries of a tool. */
const tell = async (...names: string[]) => {
  for (const name of names) {
    const [answer] = await sendAll(tools.studio, [samples.find((sample) => sample.name === `${name}.json`)!])
    expect(answer!.json.records, name).toMatchObject([{ type: 'external_reference' }])
  }
}
const newTask = async (task: object) =>
  (await tools.api('tasks', { method: 'POST', body: { task: { title: 'Mend the moon', ...task } } })).id as number
const edit = (id: number, task: object) => tools.api(`tasks/${id}`, { method: 'PATCH', body: { task } })
const ask = (id: number, project = tools.project) => kim.app(`/projects/${project}/tasks/${id}/references`)
const keysOf = async (id: number) => (await ask(id)).json.references.map(({ key }: { key: string }) => key)

describe('a tracker item that a task names', () => {
  const WRITTEN: [sample: string, key: string, task: object][] = [
    ['jira/issue_updated__status', 'TEST-1', { title: 'TEST-1: mend the moon' }],
    ['jira/issue_created__cloud', 'KT-22', { description: 'see https://mmtest.atlassian.net/browse/KT-22?focusedId=1.' }],
    ['jira/issue_updated__closed_2015', 'TP-1', { description: 'on branch `fix/tp-1-moon`' }],
    ['linear/issue_update__unassigned', 'WEB-46', { description: '(https://linear.app/webhooks/issue/WEB-46/thorough-impact)' }],
    ['github/issues__opened', 'baxterthehacker/public-repo#2', { description: 'like baxterthehacker/public-repo#2, or worse' }],
    [
      'github/issues__assigned',
      'sbansal1999/testing-gh#7',
      { description: 'https://github.com/sbansal1999/testing-gh/issues/7' },
    ],
    [
      'gitlab/issue__issue_updated',
      'tomaszkolek0/my-awesome-project#1',
      { description: 'https://gitlab.com/tomaszkolek0/my-awesome-project/-/issues/1' },
    ],
    ['gitlab/merge_request__subgroup', 'group1/group2/group3/grp2repo!1', { title: 'Like group1/group2/group3/grp2repo!1' }],
    [
      'gitlab/merge_request__pull_request_opened',
      'demoaccount2-commits-group/test_ci_tmp!3',
      { description: 'https://gitlab.com/demoaccount2-commits-group/test_ci_tmp/-/merge_requests/3#note_1' },
    ],
    [
      'bitbucket/pullrequest_created__pullrequest_created',
      'amuniz/test-repos!735',
      { description: 'https://bitbucket.org/amuniz/test-repos/pull-requests/735/build-test' },
    ],
    [
      'bitbucket/issue_created__issue_created',
      'kolaszek/repository-name#1',
      { description: 'https://bitbucket.org/kolaszek/repository-name/issues/1/bug' },
    ],
    [
      'bitbucket/pr_opened__server_propenfromtagpayload',
      'AMUNIZ/test-repos!1',
      { description: 'http://localhost:7990/bitbucket/projects/AMUNIZ/repos/test-repos/pull-requests/1/overview' },
    ],
    [
      'bitbucket/pr_opened__server_pr_opened',
      '~gopher/webhook-test!5',
      { description: 'https://server.bitbucket.local/users/gopher/repos/webhook-test/pull-requests/5' },
    ],
    ['gitea/issues__closed', 'kostekIV/test#3', { description: 'https://try.gitea.io/kostekIV/test/issues/3' }],
    [
      'azure-devops/git_pullrequest_updated__code_pull_request_updated',
      'test-zulip/test-zulip!2',
      { description: 'https://dev.azure.com/ttchong/test-zulip/_git/test-zulip/pullrequest/2' },
    ],
    ['trello/create_card__new', '5qrgGdD5', { description: 'https://trello.com/c/5qrgGdD5/12-new-card' }],
    ['trello/update_card__renamed', 'r33ylX2Z', { metadata: { card: 'r33ylX2Z' } }],
    ['monday/create_pulse__item', '1772099344', { metadata: { monday: { item: 1772099344 } } }],
    ['monday/create_pulse__subitem', '1772139123', { description: 'https://owl.monday.com/boards/9/pulses/1772139123' }],
    ['clickup/task_status_updated__activepieces', '1vj38vv', { description: 'https://app.clickup.com/t/1vj38vv' }],
    ['clickup/task_updated__activepieces', '8669p1zvv', { title: 'Like CU-8669p1zvv' }],
    ['shortcut/story_update__change_state', 'SC-11', { title: 'fix/sc-11-moon' }],
    ['shortcut/story_update__add_owner', 'SC-26', { description: 'https://app.shortcut.com/zulip/story/26/a-new-story' }],
    ['youtrack/issue_created__readme', 'GAME-123', { title: 'Like game-123' }],
    ['asana/task_changed__completed', '1199170056173519', { description: 'https://app.asana.com/0/0/1199170056173519/f' }],
  ]

  test.each(WRITTEN)('%s is found in either order of arrival', async (sample, key, task) => {
    const before = await newTask(task)
    expect(await keysOf(before)).toEqual([])
    await tell(sample)
    expect(await keysOf(before)).toEqual([key])
    expect(await keysOf(await newTask(task))).toEqual([key])
  })

  test('is shown as last reported, and no longer once it is deleted there', async () => {
    const id = await newTask({ title: 'TES-41', description: 'IDT-19' })
    await tell('jira/issue_updated__resolved')
    expect((await ask(id)).json.references).toMatchObject([{ provider: 'jira', state: 'Done', assignee_uid: null }])
    await tell('jira/issue_updated__assigned_to_nobody', 'jira/issue_deleted__cloud')
    expect((await ask(id)).json.references).toEqual([
      {
        id: expect.any(Number),
        provider: 'jira',
        key: 'TES-41',
        title: 'Unit test summary 1',
        state: 'To Do',
        url: 'https://some-instance-test.atlassian.net/browse/TES-41',
        assignee_uid: null,
        assignee_user_id: null,
        updated_at: expect.any(String),
      },
    ])
  })

  test("follows every edit of the task's text", async () => {
    await tell('jira/issue_created__unicode', 'linear/comment_create__documentation')
    const id = await newTask({ description: 'BUG-15' })
    expect(await keysOf(id)).toEqual(['BUG-15'])
    await edit(id, { description_append: ', LIN-1778' })
    expect(await keysOf(id)).toEqual(['BUG-15', 'LIN-1778'])
    const body = { seen: { description: 'BUG-15, LIN-1778' }, task: { description: 'nothing left' } }
    expect((await kim.app(`/projects/${tools.project}/tasks/${id}/words`, { method: 'PATCH', body })).status).toBe(200)
    expect(await keysOf(id)).toEqual([])
    await edit(id, { metadata: { issues: ['BUG-15'] } })
    expect(await keysOf(id)).toEqual(['BUG-15'])
  })

  test('is found in tasks from a world file', async () => {
    await tell('jira/issue_updated__assigned_on_server')
    const { tasks } = await tools.studio.load({ tasks: [{ key: 'one', project: tools.project, title: 'As in PRJA-37' }] })
    expect(await keysOf(tasks.one!.id)).toEqual(['PRJA-37'])
  })

  test('shows its assignee as a member, and no address', async () => {
    const user = tools.studio.world.users.kim!.id
    await kim.app('/me/connected_accounts', { method: 'POST', body: { provider: 'jira', uid: 'Kim-On-Jira' } })
    const issue = (key: string, name: string) => ({
      key,
      fields: { summary: 'Ask mo@owl.example', status: { name: 'Open' }, assignee: { name } },
    })
    await tools.post(`jira?token=${tools.tokenOf('jira')}`, issue('MOON-1', 'kim-on-jira'))
    await tools.post(`jira?token=${tools.tokenOf('jira')}`, issue('MOON-2', 'mo@owl.example'))
    const { json, text } = await ask(await newTask({ description: 'MOON-1 MOON-2' }))
    expect(json.references).toMatchObject([
      { key: 'MOON-1', title: 'Ask mo', assignee_uid: 'kim-on-jira', assignee_user_id: user },
      { key: 'MOON-2', assignee_uid: null, assignee_user_id: null },
    ])
    expect(text).not.toContain('@')
  })

  test('belongs to one project and is visible only there', async () => {
    await tell('jira/issue_updated__components_self_without_issue')
    const elsewhere = await tools.studio.load({
      accounts: [{ key: 'fox', name: 'Fox' }],
      projects: [
        { key: 'moon', account: tools.studio.world.accounts.owl!.id, name: 'Moon' },
        { key: 'den', account: 'fox', name: 'Den' },
      ],
      tasks: ['moon', 'den'].map((project) => ({ key: project, project, title: 'TES-10' })),
    })
    const [moon, den] = [elsewhere.projects.moon!.id, elsewhere.projects.den!.id]
    expect((await ask(elsewhere.tasks.moon!.id, moon)).json).toEqual({ references: [] })
    expect((await ask(elsewhere.tasks.moon!.id)).status).toBe(404)
    expect((await ask(elsewhere.tasks.den!.id, den)).status).toBe(404)
  })

  test('never changes the task itself: the REST API matches the specification', async () => {
    await tell('linear/issue_update__title')
    const task = await tools.api(`tasks/${await newTask({ title: 'WEB-44' })}`)
    expect(Object.keys(task.links)).toEqual(['changes', 'build_runs', 'deployments'])
    expect(task.created_at).toBe(task.updated_at)
  })
})

describe('possible keys', () => {
  const keys = (description: string) => keysNamed({ title: '', description, metadata: {} })

  test('must be separate words', () => {
    expect(keys('xGAME-12y GAME-12_ #12 GAME- 12-GAME 12345 a1234567')).toEqual([])
    expect(keys('(GAME-12)[UI-3]: A-1/B_2-4')).toEqual(['GAME-12', 'UI-3', 'A-1', 'B_2-4'])
    expect(keys('AB#13, CAB#14, https://dev.azure.com/owl/star/_workitems/edit/15')).toEqual(['AB#13', 'AB#15'])
  })

  test('are found in extremely long texts', () => {
    for (const part of ['a', 'a-', 'a/', 'a.b/', '1', '-1', '#1', '://a/', 'é-'])
      expect(keys(`${part.repeat(65_536 / part.length)} GAME-12`), part).toContain('GAME-12')
  })
})

test('a change shows the tracker items that its description or its git branch names, and no others', async () => {
  const { body } = samples.find(({ name }) => name === 'jira/issue_updated__status.json')!
  const issue = body as { issue: object }
  for (const key of ['MOON-1', 'MOON-2'])
    await tools.post(`jira?token=${tools.tokenOf('jira')}`, { ...issue, issue: { ...issue.issue, key } })
  const referencesOf = async (commits: object[], ref: string) => {
    const { json } = await tools.github(push(commits, { ref }))
    const { json: context } = await kim.app(`/projects/${tools.project}/changes/${json.records.at(-1).id}/context`)
    return context.references.map(({ provider, key }: { provider: string; key: string }) => `${provider} ${key}`)
  }
  const named = commit('1'.repeat(40), { message: 'Mend the moon (#16)\n\nMOON-1' })
  expect(await referencesOf([named], 'refs/heads/main')).toEqual(['jira MOON-1'])
  expect(await referencesOf([commit('2'.repeat(40))], 'refs/heads/fix/moon-2-flat')).toEqual(['jira MOON-2'])
  expect(await referencesOf([commit('3'.repeat(40), { message: 'See MOON-3' })], 'refs/heads/main')).toEqual([])
})
