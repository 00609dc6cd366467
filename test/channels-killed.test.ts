import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHANNEL_KIND_TABLE, CHANNEL_KINDS, type ChannelKind } from '../src/contract/channels.ts'
import type { BreakageState } from '../src/contract/sets.ts'
import { sql } from '../src/db/database.ts'
import { randomOf } from '../src/demo/random.ts'
import * as channels from '../src/domain/channels/channels.ts'
import type { Fault } from './support/chat/faults.ts'
import { openNode } from './support/killing.ts'
import { type ChatVendors, openChatVendors } from './support/servers/chat-vendors.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { breakageIn, RULE, setState } from './support/studios/channel-room.ts'

// Manually: CHANNEL_BREAKAGES=1000 npx vitest run test/channels-killed.test.ts
const BREAKAGES = Number(process.env.CHANNEL_BREAKAGES ?? 24)
const BRANCHES_PER_ACCOUNT = 8
const PER_BRANCH = Math.min(25, BREAKAGES / 2)
const KILLS = Number(process.env.CHANNEL_KILLS ?? 2)
const KILL_EVERY_MS = 10_000
/** After these the result of a message is known; after the others it is not. */
const REFUSALS: Fault[] = ['429', '500', '503']
const BREAKS: Fault[] = ['reset before', 'reset after', '504 after']
const SEED = Number(process.env.CHANNEL_SEED ?? 2026)

const BRANCHES = Math.ceil(BREAKAGES / PER_BRANCH)
const ACCOUNTS = Math.ceil(BRANCHES / BRANCHES_PER_ACCOUNT)
const accountOf = (branch: number) => `studio ${Math.floor(branch / BRANCHES_PER_ACCOUNT)}`
/** Vendors count per room; each kind has its own. */
const roomOf = (kind: ChannelKind, branch: number) => `C0BRANCH${branch}X${CHANNEL_KINDS.indexOf(kind)}`

let studio: Studio
let vendors: ChatVendors
beforeAll(async () => {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => `studio ${i}`)
  studio = await openStudio({
    accounts: accounts.map((key) => ({ key, name: key, plan: 'enterprise', credits: null })),
    users: [
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: Object.fromEntries(accounts.map((key) => [key, 'owner'])) },
    ],
    projects: accounts.map((key) => ({ key, account: key, name: `Game of ${key}` })),
  })
  vendors = await openChatVendors({
    rate: { perSecond: 1.2, burst: 2 },
    faults: { seed: SEED, share: 0.06, kinds: [...REFUSALS, ...(process.env.CHANNEL_FAULTS === 'refusals' ? [] : BREAKS)] },
  })
})
afterAll(async () => {
  await vendors.close()
  await studio.close()
})

const STATE_WORDS: Record<BreakageState, RegExp> = {
  open: /Broken/,
  claimed: /Claimed/,
  muted: /Muted/,
  fixed: /Fixed/,
  withdrawn: /Withdrawn/,
}

test(
  `${BREAKAGES} breakages over two nodes of which one dies every ten seconds: each channel gets each once, in order, and its last message is the state`,
  async () => {
    const projectOf = (branch: number) => Number(studio.world.projects![accountOf(branch)]!.id)
    const rooms = new Map<string, number>()
    for (let branch = 0; branch < BRANCHES; branch++)
      for (const kind of CHANNEL_KINDS) {
        const { id } = await channels.create(
          studio.db,
          studio.service.vault,
          Number(studio.world.accounts![accountOf(branch)]!.id),
          {
            kind,
            name: `${kind} ${branch}`,
            secret: vendors.destination(kind, roomOf(kind, branch)).secret,
            ...(kind === 'slack' && { room: roomOf(kind, branch) }),
            rules: [{ ...RULE, project_id: projectOf(branch), subject: 'breakage', branch: `branch${branch}` }],
          },
        )
        rooms.set(`${kind} ${roomOf(kind, branch)}`, id)
      }
    const environment = {
      SLACK_API_URL: vendors.destination('slack', 'C0ANYTHING').api!,
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      BASE_URL: 'https://gold.example',
    }
    const nodes = await Promise.all([openNode(studio, environment), openNode(studio, environment)])

    const random = randomOf(SEED)
    const kim = Number(studio.world.users!.kim!.id)
    const happened = (async () => {
      const ids: number[] = []
      for (let i = 0; i < BREAKAGES; i++) {
        const branch = i % BRANCHES
        ids.push(await breakageIn(studio.db, { project_id: projectOf(branch), branch: `branch${branch}`, cause: `cause-${i}-` }))
        const other = ids[Math.floor(random() * ids.length)]!
        const states: BreakageState[] = ['claimed', 'fixed', 'open', 'muted']
        await setState(studio.db, other, states[Math.floor(random() * states.length)]!, kim)
        await sleep(5)
      }
      return ids
    })()
    const waiting = () => studio.db.execute(sql`select from messages where status in ('waiting', 'sending')`)
    const unheard = () =>
      studio.db.execute(
        sql`select from outbox_heads where position > least(fixes, channels, inbox) union all select from outbox where position is null`,
      )
    for (let kills = 0; kills < KILLS; kills++) {
      await sleep(KILL_EVERY_MS)
      const node = nodes[kills % nodes.length]!
      expect(await node.kill()).toBe('SIGKILL')
      await node.start()
    }
    const ids = await happened
    while ((await unheard()) > 0 || (await waiting()) > 0) await sleep(500)
    await Promise.all(nodes.map((node) => node.kill('SIGTERM')))

    const states = await studio.db.rows<{ id: number; state: BreakageState }>(sql`select id, state from breakages order by id`)
    const outcome = { told: 0, uncertain: 0, missing: 0, doubled: 0, stale: 0, disordered: 0 }
    for (const [room, channelId] of rooms) {
      const [kind, name] = room.split(' ') as [ChannelKind, string]
      const { edits } = CHANNEL_KIND_TABLE[kind]
      const messages = vendors.messages(kind, name).filter(({ thread }) => thread === undefined)
      const posts = messages.map(({ text }) => ({
        number: Number(/cause-(\d+)-/.exec(text)![1]),
        text,
        isFixed: text.includes('Fixed on'),
      }))
      const queued = await studio.db.rows<{ subject_id: string; occasion: number; occurrence: number; status: string }>(sql`
        select subject_id, occasion, occurrence, status from messages where destination_id = ${channelId} and to_user_id = 0`)
      const rowsOf = (number: number) => queued.filter(({ subject_id }) => subject_id === String(ids[number]))
      const mainOf = (number: number) => rowsOf(number).find(({ occasion }) => occasion === 0)
      // A skipped message that is queued again comes later.
      const firsts = [...new Set(posts.map(({ number }) => number))].filter((number) => (mainOf(number)?.occurrence ?? 0) <= 1)
      if (firsts.some((number, at) => at > 0 && number < firsts[at - 1]!)) outcome.disordered++
      const branch = Number(/^C0BRANCH(\d+)X/.exec(name)![1])
      for (let i = branch; i < BREAKAGES; i += BRANCHES) {
        const own = posts.filter(({ number }) => number === i)
        const status = mainOf(i)?.status
        const state = states.find(({ id }) => id === ids[i])!.state
        const isUncertain = rowsOf(i).some((row) => row.status === 'uncertain')
        if (isUncertain) outcome.uncertain++
        else if (own.length === 0 && !(status === 'skipped' && state === 'fixed')) outcome.missing++
        else outcome.told++
        // Without edits, broken and fixed alternate; uncertain messages may be missing between them.
        const isSaidTwice = own.some(({ isFixed }, at) => at > 0 && (edits || isFixed === own[at - 1]!.isFixed))
        if (isSaidTwice && !isUncertain) outcome.doubled++
        const last = own.at(-1)
        // An uncertain message cannot be edited either: its id is unknown.
        if (!last || isUncertain) continue
        if (edits ? !STATE_WORDS[state].test(last.text) : last.isFixed !== (state === 'fixed')) outcome.stale++
      }
    }
    if (process.env.CHANNEL_BREAKAGES) console.log(`${KILLS} kills, ${vendors.requests()} requests`, outcome)
    expect({ ...outcome, told: 0, uncertain: 0 }).toEqual({
      told: 0,
      uncertain: 0,
      missing: 0,
      doubled: 0,
      stale: 0,
      disordered: 0,
    })
    const uncertainBots = await studio.db.execute(sql`
    select from messages m join destinations c on c.id = m.destination_id where c.kind = 'slack' and m.status = 'uncertain' and m.to_user_id = 0`)
    expect(uncertainBots).toBe(0)
    expect(vendors.violations()).toEqual([])
  },
  240_000 + BREAKAGES * 1_000,
)
