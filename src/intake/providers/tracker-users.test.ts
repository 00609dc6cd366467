import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openLocalServer } from '../../../test/support/servers/local-server.ts'
import type { ProviderName } from '../../contract/sets.ts'
import { users as asana } from './asana/users.ts'
import { users as azureDevops } from './azure-devops/users.ts'
import { users as clickup } from './clickup/users.ts'
import { providers } from './index.ts'
import { users as jira } from './jira/users.ts'
import { users as linear } from './linear/users.ts'
import { users as monday } from './monday/users.ts'
import { users as shortcut } from './shortcut/users.ts'
import { listUsers, type UserList } from './user-list.ts'
import { users as youtrack } from './youtrack/users.ts'

type Answer = (url: URL, headers: IncomingMessage['headers'], body: Record<string, unknown>) => unknown

/** 250 people of a tool, more than one page of any. */
const PEOPLE = Array.from({ length: 250 }, (_, at) => ({ uid: `u${at}`, name: `Person ${at}`, email: `p${at}@owl.example` }))

/** Lists the users of a server that answers like this; undefined is refused with 401. */
async function listed(name: ProviderName, list: UserList, config: object, answer: Answer, below = '') {
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
  await expect(listed('monday', monday, { api_token: 'secret' }, endless)).rejects.toThrow('more than 20000 users')
})

test('Azure DevOps lists people of the organization, without service accounts', async () => {
  const basic = `Basic ${Buffer.from(':secret').toString('base64')}`
  const answer: Answer = (url, { authorization }) => {
    if (authorization !== basic || url.pathname !== '/owl/_apis/graph/users') return undefined
    if (url.searchParams.get('subjectTypes') !== 'aad,msa' || url.searchParams.get('api-version') !== '7.1-preview.1') return {}
    return {
      value: [
        { displayName: 'A group' },
        ...PEOPLE.map(({ uid, name, email }) => ({ principalName: uid, displayName: name, mailAddress: email })),
      ],
    }
  }
  expect((await listed('azure_devops', azureDevops, { api_token: 'secret' }, answer, '/owl/Game/')).people).toEqual(PEOPLE)
  const asked = azureDevops.first({ server: 'https://dev.azure.com/owl/Game' })
  expect(asked.server).toBe('https://vssps.dev.azure.com/owl')
  expect(azureDevops.first({ server: 'https://owl.visualstudio.com/Game' }).server).toBe('https://owl.vssps.visualstudio.com')
})

test('ClickUp lists the members of every workspace', async () => {
  const members = PEOPLE.map(({ uid, name, email }) => ({ user: { id: uid, username: name, email } }))
  const answer: Answer = (url, { authorization }) =>
    authorization === 'pk_1' && url.pathname === '/api/v2/team'
      ? {
          teams: [
            { id: '1', members: members.slice(0, 9) },
            { id: '2' },
            { id: '3', members: [...members.slice(9), { user: null }] },
          ],
        }
      : undefined
  expect((await listed('clickup', clickup, { api_token: 'pk_1' }, answer)).people).toEqual(PEOPLE)
})

test('Shortcut lists members who are neither disabled nor integrations', async () => {
  const known = PEOPLE.map(({ uid, name, email }) => ({ id: uid, disabled: false, profile: { name, email_address: email } }))
  const others = [
    { id: 'gone', disabled: true, profile: { name: 'Gone', email_address: 'gone@owl.example' } },
    { id: 'former', disabled: false, profile: { deactivated: true, email_address: 'former@owl.example' } },
    { id: 'bot', disabled: false, profile: { is_agent: true, email_address: 'bot@owl.example' } },
  ]
  const answer: Answer = (url, headers) =>
    headers['shortcut-token'] === 'secret' && url.pathname === '/api/v3/members' ? [...others, ...known] : undefined
  expect((await listed('shortcut', shortcut, { api_token: 'secret' }, answer)).people).toEqual(PEOPLE)
})

test('YouTrack lists people by their logins, without guests and banned ones, in pages that may be short', async () => {
  const known = [
    { login: 'guest', guest: true, banned: false },
    { login: 'gone', email: 'gone@owl.example', banned: true, guest: false },
    ...PEOPLE.map(({ uid, name, email }) => ({ login: uid, fullName: name, email, banned: false, guest: false })),
  ]
  const answer: Answer = (url, { authorization }) =>
    authorization === 'Bearer secret' && url.pathname === '/api/users'
      ? page(known, Number(url.searchParams.get('$skip')), Math.min(42, Number(url.searchParams.get('$top'))))
      : undefined
  expect((await listed('youtrack', youtrack, { api_token: 'secret' }, answer)).people).toEqual(PEOPLE)
})
