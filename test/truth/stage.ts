import type { Branch } from '../../src/contract/health-shapes.ts'
import { SCOPES } from '../../src/contract/sets.ts'
import { sql } from '../../src/db/database.ts'
import type { JobKind } from '../../src/db/queue.ts'
import { sequenceAll } from '../../src/domain/feed/sequencer.ts'
import { readOutbox } from '../../src/domain/inbox/outbox-readers.ts'
import { runLane } from '../../src/jobs/sending/sender.ts'
import { allowedHosts } from '../../src/net/addresses.ts'
import { openDispatcher } from '../../src/net/dispatcher.ts'
import { advanceClock } from '../support/clock.ts'
import { type ChatVendors, openChatVendors } from '../support/servers/chat-vendors.ts'
import { openStudio, type Studio } from '../support/studio.ts'
import { SITE } from '../support/studios/channel-room.ts'
import { workOffDue } from '../support/work-off.ts'
import type { ExpectedBranch } from './branch-oracle.ts'
import { PEOPLE, SHARED, SHARERS } from './world.ts'

const openTruthStudio = () =>
  openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
    users: [...PEOPLE.map((name) => [name, name]), ...SHARERS.map((name) => [name, SHARED])].map(([name, uid]) => ({
      key: name!,
      email: `${name}@example.com`,
      name: name!,
      accounts: { owl: 'owner' as const },
      connected_accounts: [{ provider: 'perforce' as const, uid: uid! }],
    })),
    tokens: [{ key: 'ann', user: 'ann', name: 'ann', scopes: SCOPES }],
  })

/** A studio in which several worlds happen side by side. */
export interface Stage<Player> {
  players: Player[]
  /** Moves the clock past all waiting times and runs the due jobs of all worlds. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Without the platform, which is said where a job builds several. */
export const ciNameOf = (job: string) => job.replace(/ \(\w+\)$/, '')

/** What the page of branches says, as the oracle says it; in the order of names. */
export const branchesOf = (branches: readonly Branch[]): ExpectedBranch[] =>
  branches
    .map(({ name, state, jobs, head, last_known_good }) => ({
      name,
      state: state as ExpectedBranch['state'],
      red: jobs.flatMap((job) => (job.state === 'red' ? [ciNameOf(job.name)] : [])).sort(),
      head: Number(head?.identifier ?? 0),
      lastGood: last_known_good && Number(last_known_good.identifier),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

type OpenPlayer<Player> = (studio: Studio, vendors: ChatVendors, seed: number) => Promise<Player>

export async function openStage<Player>(seeds: readonly number[], openPlayer: OpenPlayer<Player>): Promise<Stage<Player>> {
  const studio = await openTruthStudio()
  const vendors = await openChatVendors({
    people: Object.fromEntries([...PEOPLE, ...SHARERS].map((name) => [`${name}@example.com`, `U0${name}`])),
  })
  const { db, service } = studio
  await advanceClock(db, '0')
  const context = {
    db,
    vault: service.vault,
    log: service.log,
    allowed: allowedHosts(['127.0.0.1']),
    site: SITE,
    slackApi: vendors.destination('slack', 'C0ANY').api!,
    dispatcher: openDispatcher(allowedHosts([])),
  }
  const players: Player[] = []
  for (const seed of seeds) players.push(await openPlayer(studio, vendors, seed))

  const close = async () => {
    context.dispatcher.close()
    await vendors.close()
    await studio.close()
  }
  /** Jobs that call other servers are skipped: there are none here. */
  const dueKinds = async () =>
    (
      await db.rows<{ kind: JobKind }>(sql`
        select distinct kind from jobs where run_at <= goldmaster_now() and server = '' and kind <> 'describe_changelist'`)
    ).map(({ kind }) => kind)

  /** One message after the other in each room; instead of waiting for rate limits, the clock moves on. */
  const talk = async () => {
    await sequenceAll(db)
    while (await readOutbox(db, context)) {}
    for (;;) {
      const waiting = await db.rows<{ id: number }>(sql`
        select distinct case when m.to_user_id = 0 then m.destination_id else -m.destination_id end as id from messages m where m.status in ('waiting', 'sending')
          and m.not_before <= goldmaster_now() + interval '1 minute'
          order by 1`)
      if (waiting.length === 0) return
      await advanceClock(db, '2 seconds')
      await Promise.all(
        waiting.map(({ id }) => {
          let asked = 0
          return runLane(context, { id, stopping: () => asked++ > 1, signal: new AbortController().signal })
        }),
      )
    }
  }

  return {
    players,
    close,
    async settle() {
      // A minute for a log, then what the work of that minute asked for.
      for (const wait of ['75 seconds', '5 seconds', '5 seconds']) {
        await advanceClock(db, wait)
        for (let kinds = await dueKinds(); kinds.length > 0; kinds = await dueKinds())
          for (const kind of kinds) await workOffDue(studio, kind, 8)
      }
      await talk()
    },
  }
}
