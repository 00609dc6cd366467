import { expect, test } from 'vitest'
import { CHOSEN, ok, openSignIns, PASSWORD, type Person } from '../../../test/support/callers/sign-ins.ts'
import { visit } from '../../../test/support/callers/visitor.ts'
import { sql } from '../../db/database.ts'

/** What somebody set up under an address before its owner proved it, and what is left of it after each kind of proof. */
const {
  studio,
  lead,
  guest,
  scimToken,
  newEmail,
  accountOf,
  byPasskey,
  throughProvider,
  resetPassword,
  addApp,
  addPasskey,
  invite,
  join,
  personWith,
  provision,
  makeToken,
} = openSignIns()

const HELD = ['session', 'token', 'password', 'passkey', 'app'] as const
type Held = (typeof HELD)[number]

/** Who joined, and with which link; only owl unless they belong to fox. */
const JOINED = {
  'an admin’s copy of the link': (email: string) => invite(lead(), 'owl', email).then(({ handed }) => join(email, handed)),
  'another account’s admin’s copy of the link': (email: string) =>
    invite(guest(), 'fox', email).then(({ handed }) => join(email, handed)),
  'the mailed link': (email: string) => invite(lead(), 'owl', email).then(({ mailed }) => join(email, mailed)),
}
const PROVEN = {
  'single sign-on': (person: Person) => throughProvider(person),
  SCIM: async ({ id, email }: Person) => {
    const made = await provision(email)
    // Already a member: providers continue with the existing user.
    if (made.status === 409)
      ok(await studio().ask(`/scim/v2/Users/${id}`, { method: 'PUT', token: scimToken(), body: { active: true } }))
  },
  'a password reset': (person: Person) => resetPassword(person),
}

const FACTORS: Held[] = ['passkey', 'app']
const LINKING: [joined: keyof typeof JOINED, proven: keyof typeof PROVEN, left: readonly Held[]][] = [
  ['an admin’s copy of the link', 'single sign-on', []],
  ['an admin’s copy of the link', 'SCIM', []],
  ['an admin’s copy of the link', 'a password reset', []],
  ['another account’s admin’s copy of the link', 'single sign-on', []],
  // They belong to another account: a provider neither ends anything there nor makes them a member.
  ['another account’s admin’s copy of the link', 'SCIM', HELD],
  ['another account’s admin’s copy of the link', 'a password reset', []],
  ['the mailed link', 'single sign-on', HELD],
  ['the mailed link', 'SCIM', HELD],
  // Everything created with a password ends with it, for everybody.
  ['the mailed link', 'a password reset', FACTORS],
]

test.each(LINKING)('after sign-up with %s, %s keeps only: %j', async (joined, proven, left) => {
  const email = newEmail()
  const visitor = await JOINED[joined](email)
  const person = await personWith(email)
  const token = await makeToken(visitor)
  await addPasskey(person, visitor)
  await addApp(person, visitor)
  await PROVEN[proven](person)

  const signIn = (chosen: string) =>
    visit(studio()).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: chosen } })
  const asksForCode = async () => (await signIn(PASSWORD)).json?.two_factor ?? (await signIn(CHOSEN)).json?.two_factor
  const there: Record<Held, boolean> = {
    session: (await visitor.app('/me')).status === 200,
    token: (await studio().ask('/api/v1/ping', { token })).status === 200,
    password: (await signIn(PASSWORD)).status === 200,
    passkey: await byPasskey(person).then(
      () => true,
      () => false,
    ),
    app: (await asksForCode()) !== undefined,
  }
  expect(HELD.filter((held) => there[held])).toEqual(left)
  const inOwl = await studio().db.rows(sql`
    select from account_members where account_id = ${accountOf('owl')} and user_id = ${person.id}`)
  // An attacker who keeps what they created has no access to the account with it.
  if (joined.startsWith('another account') && left.length > 0) expect(inOwl).toEqual([])
})
