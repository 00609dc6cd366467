import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { ChannelKind } from '../../../src/contract/channels.ts'
import type { BreakageState } from '../../../src/contract/sets.ts'
import { type Database, type Pool, sql } from '../../../src/db/database.ts'
import * as channels from '../../../src/domain/channels/channels.ts'
import * as log from '../../../src/domain/channels/message-log.ts'
import { sequenceAll } from '../../../src/domain/feed/sequencer.ts'
import type { Lanes } from '../../../src/jobs/lanes.ts'
import { startSender } from '../../../src/jobs/sending/sender.ts'
import { allowedHosts } from '../../../src/net/addresses.ts'
import { resetClock } from '../clock.ts'
import { type ChatVendors, openChatVendors } from '../servers/chat-vendors.ts'
import { openStudio, type Studio } from '../studio.ts'
import { until } from '../until.ts'

export const SITE = 'https://gold.example'
export const RULE = { branch: '', job: '', category: null, hours: null, here: false, quiet_from: null, quiet_until: null }

export const CHANNEL_WORLD = {
  accounts: [
    { key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null },
    { key: 'fox', name: 'Fox', plan: 'enterprise', credits: null },
  ],
  users: [
    { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } },
    { key: 'ann', email: 'ann@example.com', name: 'Ann', accounts: { owl: 'member' } },
    { key: 'rei', email: 'rei@example.com', name: 'Rei', accounts: { fox: 'owner' } },
  ],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall' },
    { key: 'den', account: 'fox', name: 'Den' },
  ],
  changes: [
    { key: 'lamp', project: 'star', identifier: '101', source_type: 'Changelist', author: 'kim', description: 'Move the lamp' },
  ],
}

interface Broken {
  project_id: number
  branch?: string
  cause?: string
  jobs?: string[]
  category?: string
  suspect?: { change_id: number; user_id: number | null; reasons?: string[]; reason_codes?: string[] }
}

/** A breakage, as the engine writes it. */
export const breakageIn = async (
  db: Database,
  { project_id, branch = 'main', cause = 'The cave fell in', jobs = ['Cook'], category = 'compile_error', suspect }: Broken,
): Promise<number> =>
  (await db.one<{ id: number }>(sql`
    insert into breakages (account_id, project_id, fingerprint, branch, category, confidence, cause, evidence, suspects, jobs, build_count, opened_at, last_seen_at)
    select account_id, id, gen_random_uuid()::text, ${branch}, ${category}, 'high', ${cause}, ${JSON.stringify([{ line: 7, text: `error: ${cause}` }])}::jsonb,
      ${JSON.stringify(suspect ? [{ score: 0.9, reasons: ['touches the line'], reason_codes: ['file_named'], ...suspect }] : [])}::jsonb, ${jobs}::text[], 1, now(), now()
    from projects where id = ${project_id} returning id`))!.id

export const setState = (db: Database, id: number, state: BreakageState, owner: number | null = null) =>
  db.execute(sql`
    update breakages set reopenings = reopenings + case when state = 'fixed' and ${state} = 'open' then 1 else 0 end,
      occurrence = greatest(occurrence, 1) + case when state = 'fixed' and ${state} = 'open' then 1 else 0 end, state = ${state},
      owner_user_id = coalesce(${owner}, owner_user_id), fixed_at = case when ${state} = 'fixed' then now() end where id = ${id} and (${state} <> 'open' or state = 'fixed')`)

/** A studio, chat vendors that enforce their limits, and sending nodes; cleaned up after each test. */
export function openChannelRoom() {
  let studio: Studio
  let vendors: ChatVendors
  const nodes: Lanes[] = []
  beforeAll(async () => {
    studio = await openStudio(CHANNEL_WORLD)
  })
  afterAll(() => studio.close())
  beforeEach(async () => {
    vendors = await openChatVendors({ people: { 'kim@example.com': 'U0KIM', 'ann@example.com': 'U0ANN' } })
  })
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
    await resetClock(studio.db)
    await studio.db.execute(sql`delete from destinations`)
    await studio.db.execute(sql`delete from breakages`)
    await studio.db.execute(sql`delete from notifications`)
    await studio.db.execute(sql`delete from notification_preferences`)
    await studio.db.execute(sql`delete from mails`)
    await vendors.close()
  })
  const id = (kind: string, key: string) => Number(studio.world[kind as 'projects']![key]!.id)
  const heard = async () => {
    await sequenceAll(studio.db)
    await until(
      async () => (await studio.db.execute(sql`select from outbox_heads where position > least(fixes, channels, inbox)`)) === 0,
    )
  }
  const messages = async (channelId: number) => (await log.list(studio.db, channelId, { limit: 100 })).messages
  return {
    studio: () => studio,
    vendors: () => vendors,
    id,
    messages,
    /** A sending node, stopped after the test if not before. */
    node(db: Pool = studio.db): Lanes {
      const node = startSender({
        db,
        vault: studio.service.vault,
        log: pino({ level: 'silent' }),
        allowed: allowedHosts(['127.0.0.1']),
        site: SITE,
        slackApi: vendors.destination('slack', 'C0ANY').api!,
      })
      nodes.push(node)
      return node
    },
    channel: (kind: ChannelKind, room: string, rules: Partial<channels.Rule>[] = [{ subject: 'breakage' }]) =>
      channels.create(studio.db, studio.service.vault, id('accounts', 'owl'), {
        kind,
        name: room,
        secret: vendors.destination(kind, room).secret,
        ...(kind === 'slack' && { room }),
        rules: rules.map((rule) => ({ ...RULE, project_id: id('projects', 'star'), subject: 'breakage' as const, ...rule })),
      }),
    breaks: (broken: Partial<Broken> = {}) => breakageIn(studio.db, { project_id: id('projects', 'star'), ...broken }),
    becomes: (breakage: number, state: BreakageState, owner?: number) => setState(studio.db, breakage, state, owner),
    /** Queues the messages for everything that happened until now. */
    heard,
    /** Nothing is waiting any more. */
    async quiet() {
      await heard()
      await until(async () => (await studio.db.execute(sql`select from messages where status in ('waiting', 'sending')`)) === 0)
    },
    said: (kind: ChannelKind, room: string) => vendors.messages(kind, room).map(({ text }) => text),
  }
}
