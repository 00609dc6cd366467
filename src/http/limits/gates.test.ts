import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'

const SRC = resolve(import.meta.dirname, '../..')
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test|\.d)\.ts$/.test(file) && !file.startsWith('web/'))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** The connections of a node, each entered through the gate of its account, which lets in three at a time. */
const OF_THE_NODE = "intake/admission.ts: ''"

test('the key of every gate and queue is an account or a person, never a constant', () => {
  const keys = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\.(?:enter(?:Of|As)?|tryEnter)\(\s*([^,)]+)/g)].map(([, key]) => `${file}: ${key}`),
  )
  expect(keys.length).toBeGreaterThan(10)
  expect(
    keys
      .filter((key) => key !== OF_THE_NODE)
      .filter((key) => !/: .*(?:account_?id|account\b|user_?id|accounts\.get|\bwho\b)/i.test(key) || /: `[^$]*`$/.test(key)),
  ).toEqual([])
})

test('everything that makes work wait is a gate or a queue that this test reads', () => {
  const makers = sources.filter(({ text }) => /new (?:Gate|FairQueue)\(/.test(text)).map(({ file }) => file)
  const entered = sources.filter(({ text }) => /\.(?:enter|enterAs|tryEnter)\(/.test(text)).map(({ file }) => file)
  // The gate of searches is entered where lists and the palette are served.
  expect(makers.filter((file) => !entered.includes(file))).toEqual(['http/limits/search-gate.ts'])
})

test('nothing counts what runs by itself, which would be one limit for all accounts', () => {
  const counting = sources.filter(({ text }) => /finally \{[^}]*\w--/.test(text)).map(({ file }) => file)
  expect(counting).toEqual(['processes/fair-queue.ts'])
})

const PASSWORD = 'a long enough password'
let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: ['kim', 'lee'].map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { owl: 'member' },
    })),
  })
})
afterAll(() => studio.close())

test('the inbox of a person waits behind their own requests, and nobody else does', async () => {
  const [kim, lee] = await Promise.all(['kim', 'lee'].map((name) => signIn(studio, `${name}@example.com`, PASSWORD)))
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { share } = studio.service
  const own = Array.from({ length: 100 }, () => share.enterOf(Number(studio.world.users!.kim!.id), () => held).catch(() => {}))
  const waiting = kim!.app('/me/notifications')
  expect(await lee!.app('/me/notifications')).toMatchObject({ status: 200 })
  expect(await waiting).toMatchObject({ status: 503, json: { error: 'busy' } })
  release()
  await Promise.all(own)
  expect(await kim!.app('/me/notifications')).toMatchObject({ status: 200 })
})
