import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openLocalServer } from '../../../test/support/local-server.ts'
import { users as asana } from './asana/users.ts'
import { providers } from './index.ts'
import { users as jira } from './jira/users.ts'
import { users as linear } from './linear/users.ts'
import { users as monday } from './monday/users.ts'
import { listUsers, type UserList } from './user-list.ts'

type Answer = (url: URL, headers: IncomingMessage['headers'], body: Record<string, unknown>) => unknown

/** 250 people of a tool, more than one page of any. */
const PEOPLE = Array.from({ length: 250 }, (_, at) => ({ uid: `u${at}`, name: `Person ${at}`, email: `p${at}@owl.example` }))

/** Lists the users of a server that answers like this; undefined is refused with 401. */
async function listed(name: 'jira' | 'linear' | 'asana' | 'monday', list: UserList, config: object, answer: Answer, below = '') {
  const asked: string[] = []
  const server = await openLocalServer(async (request, reply) => {
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, unknown>) : {}
    asked.push(request.url!)
    const answered = answer(new URL(request.url!, 'http://tool'), request.headers, body)
    reply
      .writeHead(answered === undefined ? 401 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answered ?? {}))
  })
  try {
    const settings = { server: `${server.url}${below}`, ...config }
    return { people: await listUsers(providers[name], list, { config: settings, allowed: () => true }), asked }
  } finally {
    server.close()
  }
}

const page = <T>(all: readonly T[], from: number, size: number) => all.slice(from, from + size)

test('Jira Cloud lists people without apps and deactivated ones, in pages that may be short', async () => {
  const others = [
    { accountId: 'bot', accountType: 'app', displayName: 'Bot', active: true },
    { accountId: 'gone', accountType: 'atlassian', displayName: 'Gone', active: false },
    { accountType: 'atlassian' },
  ]
  const all = [
    ...others,
    ...PEOPLE.map(({ uid, name, email }) => ({
      accountId: uid,
      accountType: 'atlassian',
      displayName: name,
      active: true,
      // Its owner hides it.
      ...(uid !== 'u7' && { emailAddress: email }),
    })),
  ]
  const basic = `Basic ${Buffer.from('kim@owl.example:secret').toString('base64')}`
  const answer: Answer = (url, { authorization }) => {
    if (url.pathname === '/rest/api/2/serverInfo') return { deploymentType: 'Cloud' }
    if (authorization !== basic || url.pathname !== '/rest/api/3/users/search') return undefined
    return page(all, Number(url.searchParams.get('startAt')), 90)
  }
  const { people } = await listed('jira', jira, { user: 'kim@owl.example', api_token: 'secret' }, answer)
  expect(people).toEqual(PEOPLE.map((one) => (one.uid === 'u7' ? { ...one, email: '' } : one)))
  await expect(listed('jira', jira, { user: 'kim@owl.example', api_token: 'old' }, answer)).rejects.toThrow('does not accept')
})

test('Jira Data Center lists people by their user names', async () => {
  const answer: Answer = (url, { authorization }) => {
    if (url.pathname === '/rest/api/2/serverInfo') return { deploymentType: 'Server' }
    if (authorization !== 'Bearer secret' || url.pathname !== '/rest/api/2/user/search') return undefined
    const known = PEOPLE.map(({ uid, name, email }) => ({ name: uid, displayName: name, emailAddress: email, active: true }))
    return page(known, Number(url.searchParams.get('startAt')), Number(url.searchParams.get('maxResults')))
  }
  expect((await listed('jira', jira, { api_token: 'secret' }, answer)).people).toEqual(PEOPLE)
})

test('Linear lists active people, page by page', async () => {
  const nodes = [
    { id: 'gone', name: 'Gone', email: 'gone@owl.example', active: false },
    ...PEOPLE.map(({ uid, ...one }) => ({ id: uid, ...one, active: true })),
  ]
  const answer: Answer = (_, { authorization }, { variables }) => {
    if (authorization !== 'secret') return undefined
    const from = Number((variables as { after: string | null }).after ?? 0)
    const isMore = from + 100 < nodes.length
    return {
      data: {
        users: {
          nodes: page(nodes, from, 100),
          pageInfo: { hasNextPage: isMore, endCursor: isMore ? String(from + 100) : null },
        },
      },
    }
  }
  const { people, asked } = await listed('linear', linear, { api_token: 'secret' }, answer)
  expect(people).toEqual(PEOPLE)
  expect(asked).toHaveLength(3)
  const refusal: Answer = () => ({
    errors: [{ message: 'Authentication required', extensions: { type: 'authentication error' } }],
  })
  await expect(listed('linear', linear, { api_token: 'secret' }, refusal)).rejects.toThrow('Authentication required')
})

test('Asana lists the people of the workspace of the project', async () => {
  const answer: Answer = (url, { authorization }) => {
    if (authorization !== 'Bearer secret') return undefined
    if (url.pathname === '/api/1.0/projects/42') return { data: { gid: '42', workspace: { gid: '7' } } }
    if (url.pathname !== '/api/1.0/users' || url.searchParams.get('workspace') !== '7') return undefined
    const from = Number(url.searchParams.get('offset') ?? 0)
    const known = PEOPLE.map(({ uid, ...one }) => ({ gid: uid, ...one }))
    return { data: page(known, from, 100), next_page: from + 100 < known.length ? { offset: String(from + 100) } : null }
  }
  const { people } = await listed('asana', asana, { api_token: 'secret' }, answer, '/api/1.0/projects/42')
  expect(people).toEqual(PEOPLE)
})

test('monday.com lists people with an enabled account, and circular pages end', async () => {
  const known = [
    { id: 1, name: 'Gone', email: 'gone@owl.example', enabled: false },
    ...PEOPLE.map(({ uid, ...one }) => ({ id: uid, ...one, enabled: true })),
  ]
  const answer: Answer = (_, { authorization }, { variables }) => {
    if (authorization !== 'secret') return undefined
    const { page: number, limit } = variables as { page: number; limit: number }
    return { data: { users: page(known, (number - 1) * limit, limit) } }
  }
  expect((await listed('monday', monday, { api_token: 'secret' }, answer)).people).toEqual(PEOPLE)
  const endless: Answer = () => ({ data: { users: page(known, 0, 200) } })
  await expect(listed('monday', monday, { api_token: 'secret' }, endless)).rejects.toThrow('more than 300 requests')
})
