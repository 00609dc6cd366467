import type { Branch, BreakageDetail } from '../../../src/contract/health-shapes.ts'
import { raw, sql } from '../../../src/db/database.ts'
import { advanceClock, clockTime } from '../../support/clock.ts'
import type { ChatVendors } from '../../support/servers/chat-vendors.ts'
import type { Studio } from '../../support/studio.ts'
import type { Told } from '../play.ts'
import { textOf } from '../repeats.ts'
import { PEOPLE } from '../world.ts'
import { type ReportedRun, START } from './oracle.ts'
import { type Happening, JOB, makeTestWorld, STREAMS, type TestChange, type TestFile, type TestWorld } from './world.ts'

/** What the service says about a build and its tests. */
export interface BuildPage {
  number: number
  // biome-ignore lint/suspicious/noExplicitAny: the reply of the tests of a build
  tests: any
  person: string | null
  suspects: number[]
}

/** One world of test results: a project with a depot and a CI. */
export interface TestPlayer {
  world: TestWorld
  happen(happening: Happening): Promise<void>
  /** Quarantines that had to wait until the service knew the test. */
  catchUp(): Promise<void>
  repeat(): Promise<void>
  changes: TestChange[]
  quarantined: ReadonlySet<string>
  reports(): ReportedRun[]
  pages(): Promise<BuildPage[]>
  breakages(): Promise<BreakageDetail[]>
  branches(): Promise<Branch[]>
  told(): Promise<Told[]>
  everything(): Promise<string>
}

const xmlOf = ({ results }: TestFile) =>
  `<testsuite name="all">${results
    .map(({ name, of, outcome }) => {
      const failure = `<failure message="${of.message}">at Source/${of.file}Test.cpp:54</failure>`
      return `<testcase classname="${of.file}Test" name="${name}">${outcome === 'failed' ? failure : ''}</testcase>`
    })
    .join('')}</testsuite>`

const tapOf = ({ isCut }: TestFile) => {
  const ran = isCut ? START.slice(0, -1) : START
  return [`1..${START.length}`, ...ran.map((name, index) => `ok ${index + 1} - ${name}`), ''].join('\n')
}

export async function openTestPlayer(studio: Studio, _: ChatVendors, seed: number): Promise<TestPlayer> {
  const { db } = studio
  const world = makeTestWorld(seed)
  const account = Number(studio.world.accounts!.owl!.id)
  const { projects } = await studio.load({ projects: [{ key: 'p', account, name: `Tests ${seed}` }] })
  const project = projects!.p!.id as number
  const { integrations } = await studio.load({
    integrations: [
      { key: 'depot', project, provider: 'perforce', config: { branches: STREAMS.join(', ') } },
      { key: 'ci', project, provider: 'jenkins' },
    ],
  })
  const token = studio.world.tokens!.ann!.token as string
  const ask = async (path: string, asking: object = {}) => {
    const answer = await studio.ask(`/api/v1/projects/${project}${path}`, { token, ...asking })
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.json
  }
  await ask('/settings', { method: 'PATCH', body: { test_gate: { fails_on: world.gate, jobs: [] } } })

  const sent: [path: string, asking: { body?: object; raw?: string }][] = []
  const post = async (path: string, asking: { body?: object; raw?: string }) => {
    const headers = asking.raw === undefined ? {} : { headers: { 'content-type': 'application/octet-stream' } }
    const answer = await studio.ask(`/webhooks/${path}`, { method: 'POST', ...asking, ...headers })
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  }
  const send = async (path: string, asking: { body?: object; raw?: string }) => {
    sent.push([path, asking])
    await post(path, asking)
  }
  const changes: TestChange[] = []
  const known = new Map<number, ReportedRun>()
  const early = new Map<number, TestFile[]>()
  const [wanted, quarantined] = [new Set<string>(), new Set<string>()]
  const tokenOf = (key: string) => integrations![key]!.webhook_token as string

  const reporters: { [K in Happening['kind']]: (happening: Extract<Happening, { kind: K }>) => Promise<void> } = {
    async change({ change }) {
      const { changelist, author, description } = change
      const files = change.files.map((path) => ({ path, action: 'edit' }))
      await send(`perforce?token=${tokenOf('depot')}`, { body: { changelist, user: author, description, files } })
      changes.push(change)
    },
    async build({ run }) {
      const { number, changelist, stream, isRed } = run
      const ended = (await clockTime(db)).toISOString()
      const status = isRed ? 'failed' : 'success'
      const body = { job_name: JOB, build_number: String(number), status, changelist: String(changelist), branch: stream }
      await send(`ci?token=${tokenOf('ci')}`, { body: { ...body, finished_at: ended } })
      known.set(number, { run, arrival: known.size, files: early.get(number) ?? [] })
    },
    async file({ run, file }) {
      const path = `tests?job_name=${JOB}&build_number=${run.number}&token=${tokenOf('ci')}`
      if (file.results.length > 0) await send(path, { raw: xmlOf(file) })
      await send(path, { raw: tapOf(file) })
      const files = known.get(run.number)?.files ?? early.get(run.number) ?? []
      files.push(file)
      early.set(run.number, files)
    },
    async quarantine({ name }) {
      wanted.add(name)
    },
    pause: ({ seconds }) => advanceClock(db, `${seconds} seconds`),
  }
  const idOf = async (name: string) => (await ask('/tests')).failing.find((one: { name: string }) => one.name === name)?.id
  const breakages = async () => {
    const found: BreakageDetail[] = []
    for (const { id } of (await ask('/breakages?limit=100')).breakages) found.push(await ask(`/breakages/${id}`))
    return found
  }
  const userOf = new Map(PEOPLE.map((name) => [Number(studio.world.users![name]!.id), name as string]))
  const builds = () =>
    db.rows<{ id: number; number: string }>(sql`
      select id, build_number as number from build_runs where project_id = ${raw(String(project))} order by id`)

  return {
    world,
    changes,
    quarantined,
    happen: (happening) => (reporters[happening.kind] as (one: Happening) => Promise<void>)(happening),
    async catchUp() {
      for (const name of [...wanted].filter((one) => !quarantined.has(one))) {
        const id = await idOf(name)
        const until = new Date((await clockTime(db)).getTime() + 20 * 86_400_000).toISOString()
        if (id === undefined) continue
        await ask(`/tests/${id}`, { method: 'PATCH', body: { quarantined_until: until, reason: 'waits for a server' } })
        quarantined.add(name)
      }
    },
    async repeat() {
      for (const [path, { body, raw }] of sent)
        await post(path, body ? { body: Object.fromEntries(Object.entries(body).reverse()) } : { raw: `${raw}\n` })
    },
    reports: () => [...known.values()],
    async pages() {
      const pages: BuildPage[] = []
      for (const { id, number } of await builds()) {
        const [tests, { investigation }] = [await ask(`/build_runs/${id}/tests`), await ask(`/build_runs/${id}`)]
        const person = investigation?.attributed_user_id as number | null | undefined
        const ids = (investigation?.suspects ?? []).map(({ change_id }: { change_id: number }) => String(change_id))
        const suspects = await db.rows<{ identifier: string }>(sql`
          select identifier from changes where id = any (${ids}::bigint[])`)
        const named = person == null ? null : userOf.get(person)!
        pages.push({ number: Number(number), tests, person: named, suspects: suspects.map((one) => Number(one.identifier)) })
      }
      return pages
    },
    breakages,
    branches: async () => (await ask('/branches?limit=100')).branches,
    told: async () =>
      (
        await db.rows<{ id: number; user_id: number; breakage: string }>(sql`
          select id, user_id, subject_id as breakage from notifications
          where project_id = ${raw(String(project))} and subject = 'breakage' and kind = 'suspected' order by id`)
      ).map(({ id, user_id, breakage }) => ({ id, person: userOf.get(user_id)!, breakage: breakage.split(/[:~]/)[0]! })),
    async everything() {
      const pages = []
      for (const { id } of await builds()) pages.push(await ask(`/build_runs/${id}`), await ask(`/build_runs/${id}/tests`))
      const { branches } = await ask('/branches?limit=100')
      return textOf({ pages, branches, breakages: await breakages(), tests: await ask('/tests') })
    },
  }
}
