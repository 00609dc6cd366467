import { CHANNEL_KINDS, type ChannelKind } from '../../src/contract/channels.ts'
import type { BreakageDetail } from '../../src/contract/health-shapes.ts'
import { SCOPES } from '../../src/contract/sets.ts'
import { raw, sql } from '../../src/db/database.ts'
import type { JobKind } from '../../src/db/queue.ts'
import * as channels from '../../src/domain/channels/channels.ts'
import { sequenceAll } from '../../src/domain/feed/sequencer.ts'
import { readOutbox } from '../../src/domain/inbox/outbox-readers.ts'
import { runLane } from '../../src/jobs/sending/sender.ts'
import { allowedHosts } from '../../src/net/addresses.ts'
import { openDispatcher } from '../../src/net/dispatcher.ts'
import { advanceClock, clockTime } from '../support/clock.ts'
import { type ChatVendors, openChatVendors } from '../support/servers/chat-vendors.ts'
import { openStudio, type Studio } from '../support/studio.ts'
import { RULE, SITE } from '../support/studios/channel-room.ts'
import { workOffDue } from '../support/work-off.ts'
import { nameOf, type Reported } from './oracle.ts'
import { type Build, type Cause, type Change, type Happening, PEOPLE, STREAMS } from './world.ts'

const openTruthStudio = () =>
  openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
    users: PEOPLE.map((name) => ({
      key: name,
      email: `${name}@example.com`,
      name,
      accounts: { owl: 'owner' },
      connected_accounts: [{ provider: 'perforce', uid: name }],
    })),
    tokens: [{ key: 'ann', user: 'ann', name: 'ann', scopes: SCOPES }],
  })

/** A notification of one person about a breakage. */
export interface Told {
  id: number
  person: string
  breakage: string
}

/** One world of a stage: a project with a depot, a CI, a store and rooms of two chat vendors. */
export interface Player {
  /** Reports one thing through its webhook. */
  happen(happening: Happening): Promise<void>
  /** Everything reported so far, for the oracle. */
  changes: Change[]
  reports(): Reported[]
  breakages(): Promise<BreakageDetail[]>
  told(): Promise<Told[]>
  /** Numbers of the changelists with these ids. */
  changelists(ids: readonly (number | string)[]): Promise<string[]>
  /** The newest message of each room about a breakage. */
  lastWords(breakage: string): string[]
  /** Deployments that are linked to a build that did not pass. */
  wrongDeployments(): Promise<number>
}

/** A studio in which several worlds happen side by side. */
export interface Stage {
  players: Player[]
  /** Moves the clock past all waiting times and runs the due jobs of all worlds. */
  settle(): Promise<void>
  close(): Promise<void>
}

const LOGS: Record<Cause['kind'], (build: Build) => string> = {
  compile: ({ cause }) => {
    const file = (cause as { file: string }).file
    return `UnrealBuildTool\n[12/90] Compile Module.Game.cpp\nD:\\ws\\Source\\${file.replaceAll('/', '\\')}(54): error C2065: 'speed': undeclared identifier\nError: build failed\n`
  },
  test: () =>
    'Running 12 tests\nLogAutomationController: Error: Test Completed. Result={Fail} Name={Harbour} Path={Game.Harbour}\n',
  disk: () => '$ make game\nwrite error: No space left on device\nmake: *** [game] Error 1\n',
}

type Room = { kind: ChannelKind; room: string; id: number }

export async function openStage(seeds: readonly number[]): Promise<Stage> {
  const studio = await openTruthStudio()
  const vendors = await openChatVendors({
    people: Object.fromEntries(PEOPLE.map((name) => [`${name}@example.com`, `U0${name}`])),
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
        select distinct kind from jobs where run_at <= goldmaster_now() and kind <> 'describe_changelist'`)
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

/** Every vendor has its turn: two rooms for each world. */
const roomsOf = (seed: number) => CHANNEL_KINDS.filter((_, index) => index % 3 === seed % 3)

async function openPlayer(studio: Studio, vendors: ChatVendors, seed: number): Promise<Player> {
  const { db, service } = studio
  const accountId = Number(studio.world.accounts!.owl!.id)
  const project = (await studio.load({ projects: [{ key: 'p', account: accountId, name: `World ${seed}` }] })).projects!.p!
    .id as number
  const { integrations } = await studio.load({
    integrations: [
      { key: 'depot', project, provider: 'perforce', config: { branches: STREAMS.join(', ') } },
      { key: 'ci', project, provider: 'jenkins' },
      { key: 'store', project, provider: 'deployment' },
    ],
  })
  const rooms: Room[] = []
  for (const kind of roomsOf(seed)) {
    const room = kind === 'slack' ? `C0SEED${seed}` : `seed${seed}`
    const { id } = await channels.create(db, service.vault, accountId, {
      kind,
      name: `${kind} ${seed}`,
      secret: vendors.destination(kind, room).secret,
      ...(kind === 'slack' && { room }),
      rules: [{ ...RULE, project_id: project, subject: 'breakage' as const }],
    })
    rooms.push({ kind, room, id: Number(id) })
  }
  const userOf = new Map(PEOPLE.map((name) => [Number(studio.world.users![name]!.id), name as string]))
  const changes: Change[] = []
  const known = new Map<string, Reported>()
  const token = studio.world.tokens!.ann!.token as string

  const post = async (path: string, key: string, body: object) => {
    const answer = await studio.ask(`/webhooks/${path}?token=${integrations![key]!.webhook_token}`, { method: 'POST', body })
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  }
  const send: { [K in Happening['kind']]: (happening: Extract<Happening, { kind: K }>) => Promise<void> } = {
    async change({ change }) {
      const { changelist, author, description, files } = change
      await post('perforce', 'depot', {
        changelist,
        user: author,
        description,
        files: files.map((path) => ({ path, action: 'edit' })),
      })
      changes.push(change)
    },
    async build({ build, hasLog, minutes }) {
      const began = (await clockTime(db)).getTime() + minutes * 60_000
      await post('ci', 'ci', {
        job_name: build.job,
        build_number: String(build.number),
        status: build.cause === null ? 'success' : 'failed',
        changelist: String(build.changelist),
        branch: build.stream,
        started_at: new Date(began - 300_000).toISOString(),
        finished_at: new Date(began).toISOString(),
        ...(hasLog && build.cause && { log: LOGS[build.cause.kind](build) }),
        ...(build.upstream && { upstream_job_name: build.upstream.job, upstream_build_number: build.upstream.number }),
        ...(build.isPreflight && { preflight: true, shelf: String(build.changelist) }),
      })
      const before = known.get(nameOf(build))
      known.set(nameOf(build), { build, hasLog: hasLog || before?.hasLog === true, arrival: before?.arrival ?? known.size })
    },
    async deployment({ build, namesJob }) {
      await post('deployment', 'store', {
        platform: 'steam',
        event: 'uploaded',
        build_number: String(build.number),
        branch: 'default',
        version: `1.${build.changelist}`,
        ...(namesJob && { job_name: build.job }),
      })
    },
    pause: ({ seconds }) => advanceClock(db, `${seconds} seconds`),
  }

  return {
    changes,
    reports: () => [...known.values()],
    happen: (happening) => (send[happening.kind] as (one: Happening) => Promise<void>)(happening),
    async breakages() {
      const found: BreakageDetail[] = []
      const { json } = await studio.ask(`/api/v1/projects/${project}/breakages?limit=100`, { token })
      for (const { id } of json.breakages)
        found.push((await studio.ask(`/api/v1/projects/${project}/breakages/${id}`, { token })).json)
      return found
    },
    changelists: async (ids) =>
      (
        await db.rows<{ identifier: string }>(sql`select identifier from changes where id = any (${ids.map(String)}::bigint[])`)
      ).map(({ identifier }) => identifier),
    told: async () =>
      (
        await db.rows<{ id: number; user_id: number; breakage: string }>(sql`
          select id, user_id, subject_id as breakage from notifications
          where project_id = ${raw(String(project))} and subject = 'breakage' and kind = 'suspected' order by id`)
      ).map(({ id, user_id, breakage }) => ({ id, person: userOf.get(user_id)!, breakage: breakage.split(/[:~]/)[0]! })),
    lastWords: (breakage) =>
      rooms.flatMap(({ kind, room }) => {
        const about = vendors.messages(kind, room).filter(({ text }) => /\/breakages\/(\d+)/.exec(text)?.[1] === breakage)
        return about.length === 0 ? [] : [`${kind}: ${about.at(-1)!.text}`]
      }),
    wrongDeployments: async () =>
      db.execute(sql`
        select from deployments d join build_runs b on b.account_id = d.account_id and b.id = d.build_run_id
        where d.project_id = ${raw(String(project))} and b.status not in ('completed', 'passed_pending_approval')`),
  }
}
