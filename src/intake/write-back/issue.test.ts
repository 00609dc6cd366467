import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { OTHER, openJira, openLinear } from '../../../test/support/servers/tracker-servers.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { scheduleIssue } from '../../domain/breakages/fixed-issues.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio({ service: { allowedHosts: (host) => host === '127.0.0.1' } })
})
afterAll(() => studio.close())

const TRACKERS = {
  jira: {
    open: openJira,
    config: (url: string) => ({ server: url, user: 'bot@example.com', api_token: 'secret' }),
    /** The project or team that the issue is in. */
    named: { projects: 'GAME' },
    pageOf: (url: string, key: string) => `${url}/browse/${key}`,
    issue: (url: string, key: string, state: string) => ({
      webhookEvent: 'jira:issue_updated',
      timestamp: Date.now(),
      issue: { key, self: `${url}/rest/api/2/issue/1`, fields: { summary: 'The door', status: { name: state } } },
    }),
    comment: (url: string, key: string, body: string) => ({
      webhookEvent: 'comment_created',
      timestamp: Date.now(),
      comment: { id: '1', body },
      issue: { key, self: `${url}/rest/api/2/issue/1`, fields: { summary: 'The door' } },
    }),
  },
  linear: {
    open: openLinear,
    config: (url: string) => ({ server: url, api_token: 'secret' }),
    named: { teams: 'GAME' },
    pageOf: (_: string, key: string) => `https://linear.app/owl/issue/${key}/the-door`,
    issue: (_: string, key: string, state: string) => ({
      type: 'Issue',
      action: 'update',
      createdAt: new Date().toISOString(),
      data: { identifier: key, title: 'The door', url: `https://linear.app/owl/issue/${key}/the-door`, state: { name: state } },
    }),
    comment: (_: string, key: string, body: string) => ({
      type: 'Comment',
      action: 'create',
      createdAt: new Date().toISOString(),
      data: { body, issue: { identifier: key, title: 'The door', url: `https://linear.app/owl/issue/${key}/the-door` } },
    }),
  },
}

describe.each(['jira', 'linear'] as const)('%s', (provider) => {
  const { open, config, named, pageOf, issue, comment } = TRACKERS[provider]
  let server: Awaited<ReturnType<typeof openJira>>
  afterEach(async () => {
    await studio.db.execute(sql`delete from jobs`)
    await server.close()
  })

  /** A breakage of main with a task, and the issue GAME-12 that the tracker reported. */
  async function room({ more = {}, on = true }: { more?: object; on?: boolean } = {}) {
    server = await open()
    const made = await branchRoom(studio)
    const { integrations } = await studio.load({
      integrations: [{ key: 'tracker', project: made.project, provider, config: { ...config(server.url), ...more } }],
    })
    const { id, webhook_token } = integrations!.tracker!
    const deliver = async (body: object) => {
      const { status, text, json } = await studio.ask(`/webhooks/${provider}?token=${webhook_token}`, { method: 'POST', body })
      expect([status, text]).toEqual([200, text])
      return json
    }
    await deliver(issue(server.url, 'GAME-12', 'To do'))
    const turn = () => made.api(`/integrations/${id}/write_back`, { method: 'POST', body: { write_back: true } })
    if (on) expect(await turn()).toMatchObject({ status: 200 })
    await made.push('main', ['c1', 'c2'])
    let number = 0
    const work = () => workOffAll(studio, made.owner.account_id)
    const breaks = async () => {
      await made.report({ number: ++number, branch: 'main', commit: 'c1', broken: 'GAME-12' })
      await work()
    }
    const passes = async (commit = 'c2') => {
      await made.report({ number: ++number, branch: 'main', commit })
      await work()
    }
    await breaks()
    const [breakage] = await made.breakages()
    const task = (await made.api(`/breakages/${breakage!.id}/task`, { method: 'POST' })).json
    const link = async (added: string) => {
      const description = `${task.description}\n\n${added}\n`
      expect((await made.api(`/tasks/${task.id}`, { method: 'PATCH', body: { task: { description } } })).status).toBe(200)
    }
    const page = `https://gold.example/projects/${made.project}/breakages/${breakage!.id}`
    const url = pageOf(server.url, 'GAME-12')
    const shown = async () => (await made.api(`/integrations/${id}`)).json
    return { ...made, id, deliver, turn, work, breaks, passes, breakage: breakage!, task, link, page, url, shown }
  }

  test('the issue that a person linked gets one comment when the breakage is fixed, and no echo', async () => {
    const { link, passes, breaks, push, page, url, deliver, api, breakage, work } = await room()
    await link(url)
    await passes()
    expect(server.comments).toMatchObject([{ issue: 'GAME-12', body: expect.stringContaining(`fixed by c2: ${page}`) }])
    expect(server.issues.get('GAME-12')).toBe('To do')
    // Broken again: the comment says so.
    await push('main', ['c3'], { before: 'c2' })
    await api(`/breakages/${breakage.id}`, { method: 'PATCH', body: { state: 'open' } })
    await breaks()
    expect(server.comments).toHaveLength(1)
    expect(server.comments[0]!.body).toContain('this breakage has reopened')
    await passes('c3')
    expect(server.comments).toMatchObject([{ body: expect.stringContaining('is fixed') }])
    const count = server.writes.length
    await deliver(comment(server.url, 'GAME-12', server.comments[0]!.body))
    await deliver(issue(server.url, 'GAME-12', 'To do'))
    expect(await studio.db.rows(sql`select kind from jobs`)).toEqual([])
    expect(server.writes).toHaveLength(count)
    // Somebody deletes the comment: none is written again.
    server.comments.length = 0
    for (const state of ['open', 'fixed', 'open', 'fixed']) {
      await api(`/breakages/${breakage.id}`, { method: 'PATCH', body: { state } })
      await work()
    }
    expect(server.comments).toEqual([])
  })

  test('an issue that only the log names, one of another server or one of several gets nothing', async () => {
    const logged = await room()
    expect(`${logged.task.title} ${logged.task.description}`).toContain('GAME-12')
    await logged.passes()
    expect(server.writes).toEqual([])
    await server.close()
    const other = await room()
    await other.link('https://elsewhere.example/owl/issue/GAME-12')
    await other.passes()
    expect(server.writes).toEqual([])
    await server.close()
    const two = await room()
    server.issues.set('GAME-13', 'To do')
    await two.deliver(issue(server.url, 'GAME-13', 'To do'))
    await two.link(`${two.url}\n${pageOf(server.url, 'GAME-13')}`)
    await two.passes()
    expect(server.writes).toEqual([])
  })

  test('the issue is moved to the chosen done state once for each fix, and a person may move it back', async () => {
    const { link, passes, url, work, api, breakage, shown, owner } = await room({ more: { done_state: 'done', ...named } })
    await link(url)
    server.losesNextReply = true
    await expect(passes()).rejects.toThrow()
    await studio.db.execute(sql`delete from jobs`)
    await studio.db.execute(sql`update write_backs set busy_until = null`)
    server.comments.unshift({ id: '1', issue: 'GAME-12', body: `${server.comments[0]!.body} not ours`, author: OTHER })
    const again = () => scheduleIssue(studio.db, { account_id: owner.account_id, id: Number(breakage.id) })
    await again()
    await work()
    expect(server.comments.map(({ author }) => author)).toEqual([OTHER, server.comments[1]!.author])
    expect(server.issues.get('GAME-12')).toBe('Done')
    server.issues.set('GAME-12', 'To do')
    await again()
    await work()
    expect(server.issues.get('GAME-12')).toBe('To do')
    server.permits.comment = false
    await api(`/breakages/${breakage.id}`, { method: 'PATCH', body: { state: 'open' } })
    await work()
    expect((await shown()).write_back_problem).toMatch(/permi/i)
  })

  test('a missing permission or an unknown state refuses the switch, and a limit is waited for', async () => {
    const { turn, link, url, passes } = await room({ more: { done_state: 'done' }, on: false })
    const refused = async (words: RegExp) =>
      expect(await turn()).toMatchObject({ status: 422, json: { message: expect.stringMatching(words) } })
    server.permits.comment = false
    await refused(/permission/)
    server.permits.comment = true
    server.token = 'other'
    await refused(/login|Authentication/)
    server.token = 'secret'
    expect(server.writes).toEqual([])
    expect((await turn()).status).toBe(200)
    await link(url)
    server.limitedSeconds = 60
    await expect(passes()).rejects.toMatchObject({ retryAfter: expect.toSatisfy((seconds) => seconds > 50 && seconds <= 61) })
    await server.close()
    const second = await room({ more: { done_state: 'Shipped' }, on: false })
    expect(await second.turn()).toMatchObject({ status: 422, json: { message: expect.stringContaining('Shipped') } })
  })
})
