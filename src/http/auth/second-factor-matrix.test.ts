import { describe, expect, test } from 'vitest'
import { CHOSEN, ok, openSignIns, PASSWORD, type Person, post } from '../../../test/support/callers/sign-ins.ts'
import type { Visitor } from '../../../test/support/callers/visitor.ts'
import { sql } from '../../db/database.ts'

/** Every way to sign in, tried against an account that requires a second factor. */
const {
  studio,
  lead,
  newEmail,
  accountOf,
  somebody,
  byPassword,
  byPasskey,
  throughProvider,
  resetPassword,
  nextCode,
  addApp,
  addPasskey,
  invite,
  join,
  personWith,
  provision,
  makeToken,
  logInCommandLine,
  logInAssistant,
} = openSignIns()

/** The credential for the account: a browser session, a token, or a token at the assistants' endpoint. */
type Key = { visitor: Visitor } | { token: string } | { assistant: string }

async function reach(key: Key): Promise<'in' | 'kept out'> {
  const tasks = `/projects/${studio().world.projects.star!.id}/tasks`
  if ('assistant' in key) {
    const params = { name: 'list_tasks', arguments: { project_id: studio().world.projects.star!.id } }
    const headers = { accept: 'application/json, text/event-stream' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { text } = await studio().ask('/mcp', { method: 'POST', token: key.assistant, body, headers })
    return text.includes('second_factor_required') ? 'kept out' : text.includes('isError":true') ? fail(text) : 'in'
  }
  const { status, json, text } =
    'visitor' in key ? await key.visitor.app(tasks) : await studio().ask(`/api/v1${tasks}`, { token: key.token })
  if (status === 200) return 'in'
  return status === 403 && json.error === 'second_factor_required' ? 'kept out' : fail(text)
}
const fail = (text: string): never => {
  throw new Error(text)
}
const require = (required: boolean) =>
  studio().db.execute(sql`update accounts set requires_second_factor = ${required} where id = ${accountOf('owl')}`)

interface Way {
  come(): Promise<Key>
  /** For an account that requires a second factor; every method works for one that does not. */
  required: 'in' | 'kept out'
}

/** A person with these factors who signs in with `by`. */
const way = (
  required: Way['required'],
  domain: 'owl' | 'fox',
  by: (person: Person) => Promise<Visitor>,
  has: ((person: Person, visitor: Visitor) => Promise<void>)[] = [],
  key: (visitor: Visitor) => Promise<Key> = async (visitor) => ({ visitor }),
): Way => ({
  required,
  async come() {
    const person = await somebody(domain)
    const visitor = await byPassword(person.email)
    for (const add of has) await add(person, visitor)
    return key(await by(person))
  },
})
const password = (person: Person) => byPassword(person.email, PASSWORD, person)
const token = async (visitor: Visitor) => ({ token: await makeToken(visitor) })
const commandLine = async (visitor: Visitor) => ({ token: await logInCommandLine(visitor) })
const assistant = async (visitor: Visitor) => ({ assistant: await logInAssistant(visitor) })

const WAYS: Record<string, Way> = {
  'a password': way('kept out', 'owl', password),
  'a password and a code': way('in', 'owl', password, [addApp]),
  'a password of somebody with a passkey': way('kept out', 'owl', password, [addPasskey]),
  'a passkey': way('in', 'owl', byPasskey, [addPasskey]),
  'the account’s own provider': way('in', 'owl', throughProvider),
  'another account’s provider': way('kept out', 'fox', throughProvider),
  'another account’s provider, of somebody with an app': way('kept out', 'fox', throughProvider, [addApp]),
  'another account’s provider, of somebody with a passkey': way('kept out', 'fox', throughProvider, [addPasskey]),
  'another account’s provider and a code in the same session': way(
    'in',
    'fox',
    async (person) => {
      const visitor = await throughProvider(person)
      ok(await post(visitor, '/me/session/confirmation', { code: nextCode(person) }))
      return visitor
    },
    [addApp],
  ),
  'a provider that provisioned them by SCIM': {
    required: 'in',
    async come() {
      const email = newEmail()
      ok(await provision(email))
      return { visitor: await throughProvider(await personWith(email)) }
    },
  },
  'a password of somebody provisioned by SCIM': {
    required: 'kept out',
    async come() {
      const email = newEmail()
      ok(await provision(email))
      await resetPassword({ id: 0, email })
      return { visitor: await byPassword(email, CHOSEN) }
    },
  },
  'an invitation': {
    required: 'kept out',
    async come() {
      const email = newEmail()
      const { mailed } = await invite(lead(), 'owl', email)
      return { visitor: await join(email, mailed) }
    },
  },
  'a password after a reset': way('kept out', 'owl', async (person) => {
    await resetPassword(person)
    return byPassword(person.email, CHOSEN)
  }),
  'a password after a reset and a code': way(
    'in',
    'owl',
    async (person) => {
      await resetPassword(person)
      return byPassword(person.email, CHOSEN, person)
    },
    [addApp],
  ),
  'a token': way('kept out', 'owl', password, [], token),
  'a token of somebody with an app': way('in', 'owl', password, [addApp], token),
  'a token of somebody with a passkey': way('in', 'owl', byPasskey, [addPasskey], token),
  'a token of somebody who comes through the account’s own provider': way('in', 'owl', throughProvider, [], token),
  'a token of somebody who comes through another account’s provider': way('kept out', 'fox', throughProvider, [], token),
  'a command line': way('kept out', 'owl', password, [], commandLine),
  'a command line of somebody with an app': way('in', 'owl', password, [addApp], commandLine),
  'a command line of somebody who comes through another account’s provider': way(
    'kept out',
    'fox',
    throughProvider,
    [],
    commandLine,
  ),
  'an assistant': way('kept out', 'owl', password, [], assistant),
  'an assistant of somebody with an app': way('in', 'owl', password, [addApp], assistant),
  'an assistant of somebody who comes through another account’s provider': way('kept out', 'fox', throughProvider, [], assistant),
}

describe.each(Object.entries(WAYS))('%s', (_, { come, required }) => {
  test(`opens an account that requires no second factor, and is ${required === 'in' ? 'still in' : required} once it requires one`, async () => {
    await require(false)
    const key = await come()
    expect(await reach(key)).toBe('in')
    await require(true)
    expect(await reach(key)).toBe(required)
    await require(false)
  })

  test(`while a second factor is required, ${required === 'in' ? 'opens the account' : 'does not open the account'}`, async () => {
    await require(true)
    try {
      const outcome = await come().then(reach, (error: Error) =>
        error.message.includes('second_factor_required') ? 'kept out' : fail(error.message),
      )
      expect(outcome).toBe(required)
    } finally {
      await require(false)
    }
  })
})

test('a session from another account’s provider cannot add a factor before it has shown one', async () => {
  const person = await somebody('fox')
  await addApp(person, await byPassword(person.email))
  const visitor = await throughProvider(person)
  for (const required of [false, true]) {
    await require(required)
    expect(await post(visitor, '/me/passkeys/challenges')).toMatchObject({
      status: 403,
      json: { error: 'second_factor_not_shown' },
    })
  }
  await require(false)
})
