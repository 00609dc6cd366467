import { CHANNEL_KINDS, type ChannelKind } from '../../src/contract/channels.ts'
import type { Branch, BreakageDetail } from '../../src/contract/health-shapes.ts'
import { raw, sql } from '../../src/db/database.ts'
import * as channels from '../../src/domain/channels/channels.ts'
import { integration } from '../../src/domain/integrations/job-subjects.ts'
import { apply } from '../../src/intake/apply.ts'
import type { Provider } from '../../src/intake/provider.ts'
import { jenkins } from '../../src/intake/providers/jenkins/index.ts'
import { perforce } from '../../src/intake/providers/perforce/index.ts'
import { advanceClock, clockTime } from '../support/clock.ts'
import type { ChatVendors } from '../support/servers/chat-vendors.ts'
import type { Studio } from '../support/studio.ts'
import { RULE } from '../support/studios/channel-room.ts'
import { nameOf, type Reported } from './oracle.ts'
import { textOf } from './repeats.ts'
import { type Build, type Cause, type Change, type Happening, PEOPLE, SHARERS, STREAMS } from './world.ts'

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
  /** Sends all reports once more. */
  repeat(): Promise<void>
  /** Everything reported so far, for the oracle. */
  changes: Change[]
  reports(): Reported[]
  project: number
  breakages(): Promise<BreakageDetail[]>
  branches(): Promise<Branch[]>
  /** What every page says, without the times of records. */
  everything(): Promise<string>
  told(): Promise<Told[]>
  /** What the page of a failed build says about people: the person it names, and the changelists of its suspects. */
  pageOf(buildId: string): Promise<{ person: string | null; suspects: string[] }>
  /** The changelists that a build has since its job last passed. */
  contentsOf(buildId: string): Promise<number[]>
  /** Ids of all builds by their names. */
  builds(): Promise<Map<string, string>>
  /** Numbers of the changelists with these ids. */
  changelists(ids: readonly (number | string)[]): Promise<string[]>
  /** The newest message of each room about a breakage. */
  lastWords(breakage: string): string[]
  /** Deployments that are linked to a build that did not pass. */
  wrongDeployments(): Promise<number>
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

const bodyOfChange = ({ changelist, author, description, files }: Change) => ({
  changelist,
  user: author,
  description,
  files: files.map((path) => ({ path, action: 'edit' })),
})

const bodyOfBuild = (build: Build, hasLog: boolean, ended: number) => ({
  job_name: build.ciJob,
  ...(build.platform && { platform: build.platform }),
  build_number: String(build.number),
  status: build.cause === null ? 'success' : 'failed',
  changelist: String(build.changelist),
  branch: build.stream,
  started_at: new Date(ended - 300_000).toISOString(),
  finished_at: new Date(ended).toISOString(),
  ...(hasLog && build.cause && { log: LOGS[build.cause.kind](build) }),
  ...(build.upstream && { upstream_job_name: build.upstream.ciJob, upstream_build_number: build.upstream.number }),
  ...(build.isPreflight && { preflight: true, shelf: String(build.changelist) }),
})

type Room = { kind: ChannelKind; room: string; id: number }

/** Every vendor has its turn: two rooms for each world. */
const roomsOf = (seed: number) => CHANNEL_KINDS.filter((_, index) => index % 3 === seed % 3)

export const openPlayer = (studio: Studio, vendors: ChatVendors, seed: number) =>
  playerOf(studio, vendors, seed, { branches: STREAMS.join(', ') })

/** `depot`: the settings of the Perforce integration. */
export async function playerOf(studio: Studio, vendors: ChatVendors, seed: number, depot: object): Promise<Player> {
  const { db, service } = studio
  const accountId = Number(studio.world.accounts!.owl!.id)
  const project = (await studio.load({ projects: [{ key: 'p', account: accountId, name: `World ${seed}` }] })).projects!.p!
    .id as number
  const { integrations } = await studio.load({
    integrations: [
      { key: 'depot', project, provider: 'perforce', config: depot },
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
  const userOf = new Map([...PEOPLE, ...SHARERS].map((name) => [Number(studio.world.users![name]!.id), name as string]))
  const changes: Change[] = []
  const known = new Map<string, Reported>()
  const token = studio.world.tokens!.ann!.token as string

  const sent: Parameters<typeof send>[] = []
  const post = async (path: string, key: string, body: object) => {
    sent.push([path, key, body])
    await send(path, key, body)
  }
  const send = async (path: string, key: string, body: object) => {
    const answer = await studio.ask(`/webhooks/${path}?token=${integrations![key]!.webhook_token}`, { method: 'POST', body })
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  }
  const know = (change: Change) => {
    if (!changes.includes(change)) changes.push(change)
  }
  const knowBuild = (build: Build, hasLog: boolean) => {
    const before = known.get(nameOf(build))
    known.set(nameOf(build), { build, hasLog: hasLog || before?.hasLog === true, arrival: before?.arrival ?? known.size })
  }
  /** Applies what the webhooks of a tool would say as an import does. */
  const read = (key: string, provider: Provider, bodies: readonly object[]) =>
    db.transaction(async (db) => {
      const context = (await integration(db, { account_id: accountId, id: integrations![key]!.id as number }))!
      const { id } = (await db.one<{ id: number }>(sql`
        insert into imports (account_id, project_id, integration_id, since, until, state)
        values (${accountId}, ${project}, ${context.integration_id}, now() - interval '90 days', now(), 'done') returning id`))!
      const delivery = {
        path: provider === jenkins ? 'ci' : 'perforce',
        headers: {},
        raw: Buffer.alloc(0),
        url: '',
        received: new Date(),
        config: {},
      }
      for (const body of bodies) await apply(db, { ...context, import_id: id }, provider.read({ ...delivery, body }))
    })
  const reporters: { [K in Happening['kind']]: (happening: Extract<Happening, { kind: K }>) => Promise<void> } = {
    async change({ change }) {
      await post('perforce', 'depot', bodyOfChange(change))
      know(change)
    },
    async build({ build, hasLog, minutes }) {
      const ended = (await clockTime(db)).getTime() + minutes * 60_000
      await post('ci', 'ci', bodyOfBuild(build, hasLog, ended))
      knowBuild(build, hasLog)
    },
    async import({ changes, builds }) {
      await read('depot', perforce, changes.map(bodyOfChange))
      const ended = (await clockTime(db)).getTime()
      await read(
        'ci',
        jenkins,
        builds.map((build) => bodyOfBuild(build, false, ended)),
      )
      for (const change of changes) know(change)
      for (const build of builds) knowBuild(build, false)
    },
    async deployment({ build, namesJob }) {
      await post('deployment', 'store', {
        platform: 'steam',
        event: 'uploaded',
        build_number: String(build.number),
        branch: 'default',
        version: `1.${build.changelist}`,
        ...(namesJob && { job_name: build.ciJob }),
      })
    },
    pause: ({ seconds }) => advanceClock(db, `${seconds} seconds`),
  }

  const get = async (path: string) => (await studio.ask(`/api/v1/projects/${project}${path}`, { token })).json
  const wordsOf = ({ kind, room }: Room) => vendors.messages(kind, room).map(({ text }) => text)
  const breakages = async () => {
    const found: BreakageDetail[] = []
    for (const { id } of (await get('/breakages?limit=100')).breakages) found.push(await get(`/breakages/${id}`))
    return found
  }

  return {
    project,
    changes,
    reports: () => [...known.values()],
    happen: (happening) => (reporters[happening.kind] as (one: Happening) => Promise<void>)(happening),
    // Other bytes with the same contents: a delivery that is repeated literally is not read.
    async repeat() {
      for (const [path, key, body] of sent) await send(path, key, Object.fromEntries(Object.entries(body).reverse()))
    },
    breakages,
    branches: async () => (await get('/branches?limit=100')).branches,
    async everything() {
      const found = await breakages()
      const builds = []
      for (const { id } of found.flatMap((one) => one.builds)) builds.push(await get(`/build_runs/${id}`))
      const [{ branches }, all] = [await get('/branches?limit=100'), await get('/deployments?limit=50')]
      const { deployments } = all
      return textOf({ found, builds, branches, deployments, words: rooms.map(wordsOf) })
    },
    changelists: async (ids) =>
      (
        await db.rows<{ identifier: string }>(sql`select identifier from changes where id = any (${ids.map(String)}::bigint[])`)
      ).map(({ identifier }) => identifier),
    builds: async () => {
      const rows = await db.rows<{ id: number; name: string }>(sql`
        select id, ci_job_name || ' #' || build_number as name from build_runs where project_id = ${raw(String(project))}`)
      return new Map(rows.map(({ id, name }) => [name, String(id)]))
    },
    contentsOf: async (buildId) =>
      (await get(`/build_runs/${buildId}/changes`)).changes.map(({ identifier }: { identifier: string }) => Number(identifier)),
    async pageOf(buildId) {
      const { investigation } = await get(`/build_runs/${buildId}`)
      if (!investigation) return { person: null, suspects: [] }
      const ids = investigation.suspects.map(({ change_id }: { change_id: number }) => String(change_id))
      const rows = await db.rows<{ identifier: string }>(sql`select identifier from changes where id = any (${ids}::bigint[])`)
      const person = investigation.attributed_user_id as number | null
      return { person: person === null ? null : userOf.get(person)!, suspects: rows.map(({ identifier }) => identifier) }
    },
    told: async () =>
      (
        await db.rows<{ id: number; user_id: number; breakage: string }>(sql`
          select id, user_id, subject_id as breakage from notifications
          where project_id = ${raw(String(project))} and subject = 'breakage' and kind = 'suspected' order by id`)
      ).map(({ id, user_id, breakage }) => ({ id, person: userOf.get(user_id)!, breakage: breakage.split(/[:~]/)[0]! })),
    lastWords: (breakage) =>
      rooms.flatMap((one) => {
        const about = wordsOf(one).filter((text) => /\/breakages\/(\d+)/.exec(text)?.[1] === breakage)
        return about.length === 0 ? [] : [`${one.kind}: ${about.at(-1)}`]
      }),
    wrongDeployments: async () =>
      db.execute(sql`
        select from deployments d join build_runs b on b.account_id = d.account_id and b.id = d.build_run_id
        where d.project_id = ${raw(String(project))} and b.status not in ('completed', 'passed_pending_approval')`),
  }
}
