import { openJira, openLinear } from '../../test/support/servers/tracker-servers.ts'
import { all, changed, type Hook, logOf, now, SUBJECTS, subjectAt, type Ways, type WrittenTo } from './written-to.ts'

interface Tracking {
  provider: 'jira' | 'linear'
  server: Awaited<ReturnType<typeof openJira>>
  config: object
  pageOf(key: string): string
  issue(key: string, title: string): object
  comment(key: string, body: string): object
}

/** Breakages whose tasks name an issue each, and are fixed and opened by hand in turn. */
function tracker({ provider, server, config, pageOf, issue, comment }: Tracking): WrittenTo {
  const written = changed(server.comments)
  const mark = (id: string, isFixed: boolean) => `${id} ${isFixed}`
  const untold: Hook[] = []
  const breakages: string[] = []
  const keyOf = (at: number) => `GAME-${subjectAt(at)}`
  return {
    provider,
    subjects: 'issues',
    reports: 'fixes and reopenings',
    config: { ...config, api_token: 'secret', done_state: 'Done' },
    async begin({ tell, ci, api }) {
      for (const subject of all) {
        const key = keyOf(subject - 1)
        server.issues.set(key, 'To do')
        await tell(issue(key, 'The door'))
        const number = String(subject)
        await ci({ job_name: `Job ${subject}`, build_number: number, status: 'failed', branch: 'main', log: logOf(subject) })
        const [breakage] = await opened(api, subject)
        const task = await api('POST', `/breakages/${breakage!.id}/task`)
        const description = `${task.description}\n\n${pageOf(key)}\n`
        await api('PATCH', `/tasks/${task.id}`, { task: { description } })
        breakages.push(breakage!.id)
      }
    },
    async report({ api }, at) {
      const [id, isFixed] = [breakages[at % SUBJECTS]!, Math.floor(at / SUBJECTS) % 2 === 0]
      await api('PATCH', `/breakages/${id}`, { state: isFixed ? 'fixed' : 'open' })
      return mark(id, isFixed)
    },
    edit: ({ tell }, at) => tell(issue(keyOf(at), `The door ${at}`)),
    marks: () =>
      written().map((one) => {
        const body = comment(one.issue, one.body)
        untold.push(({ tell }) => tell(body))
        return mark(one.body.split('/').at(-1)!, one.body.includes('is fixed'))
      }),
    hooks: () => untold.splice(0),
    writes: server.writes,
    comments: server.comments,
    close: () => server.close(),
  }
}

/** The newest breakages, once there are so many. */
async function opened(api: Ways['api'], count: number): Promise<{ id: string }[]> {
  for (;;) {
    const { breakages } = await api('GET', '/breakages?limit=100')
    if (breakages.length >= count) return breakages
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export async function jira(): Promise<WrittenTo> {
  const server = await openJira()
  const issue = (key: string, title: string) => ({ key, self: `${server.url}/rest/api/2/issue/1`, fields: { summary: title } })
  return tracker({
    provider: 'jira',
    server,
    config: { server: server.url, user: 'bot@example.com' },
    pageOf: (key) => `${server.url}/browse/${key}`,
    issue: (key, title) => ({ webhookEvent: 'jira:issue_updated', timestamp: Date.now(), issue: issue(key, title) }),
    comment: (key, body) => ({
      webhookEvent: 'comment_updated',
      timestamp: Date.now(),
      comment: { id: '1', body },
      issue: issue(key, 'The door'),
    }),
  })
}

export async function linear(): Promise<WrittenTo> {
  const server = await openLinear()
  const pageOf = (key: string) => `https://linear.app/owl/issue/${key}/the-door`
  const issue = (key: string, title: string) => ({ identifier: key, title, url: pageOf(key) })
  return tracker({
    provider: 'linear',
    server,
    config: { server: server.url },
    pageOf,
    issue: (key, title) => ({ type: 'Issue', action: 'update', createdAt: now(), data: issue(key, title) }),
    comment: (key, body) => ({
      type: 'Comment',
      action: 'update',
      createdAt: now(),
      data: { body, issue: issue(key, 'The door') },
    }),
  })
}
