import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { ACTING_PROVIDERS, type CiAction, PROVIDERS, type ProviderName, STARTABLE_PROVIDERS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as store from '../../domain/integrations/places.ts'
import { allowedHosts } from '../../net/addresses.ts'
import type { Abilities } from '../abilities.ts'
import { readCheckouts } from '../checkouts/read-checkouts.ts'
import type { BuildFact } from '../facts.ts'
import { jobsFor } from '../history/ask.ts'
import type { JobContext } from '../job-context.ts'
import { fetchPreviews } from '../previews/fetch-previews.ts'
import { actOnBuild } from '../providers/act.ts'
import { providers } from '../providers/index.ts'
import { serverJobs } from '../providers/jobs.ts'
import { askForPeople, canListUsers } from '../providers/people.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { writeBackIssue } from '../write-back/issue.ts'
import { writeBack } from '../write-back/write-back.ts'
import { requireReach } from './reach.ts'

/** Every request that a credential is used for, of every tool that can do it: for a project that the list covers, and for one that it does not. */

const ABILITIES = [
  'console',
  'file',
  'status',
  'comment',
  'retry',
  'stop',
  'start',
  'bisect',
  'import',
  'people',
  'checkout',
] as const
type Ability = (typeof ABILITIES)[number]

const FAILURES = ['build:7', 'run:7', 'pipeline:7', 'pipeline:{r1}:7', 'horde:7'].map(
  (external_id): BuildFact => ({
    kind: 'build',
    build: { external_id, job: 'own', number: '7' },
    status: 'failed',
    url: 'https://ci.example/job/own/7/',
    repository: { id: '3', name: 'own/own' },
  }),
)
const has = (name: ProviderName, ability: keyof Abilities) => abilitiesOf(name)[ability] !== undefined

/** As the code has it: a new ability of a tool appears here by itself. */
const CAN: Record<Ability, (name: ProviderName) => boolean> = {
  console: (name) => FAILURES.some((build) => providers[name].followUp?.(build, 1, 1) !== undefined),
  file: (name) => has(name, 'file'),
  status: (name) => has(name, 'results'),
  comment: (name) => has(name, 'results') || has(name, 'issues') || has(name, 'reviews'),
  retry: (name) => (ACTING_PROVIDERS as readonly string[]).includes(name),
  stop: (name) => (ACTING_PROVIDERS as readonly string[]).includes(name),
  start: (name) => (ACTING_PROVIDERS as readonly string[]).includes(name),
  bisect: (name) => (STARTABLE_PROVIDERS as readonly string[]).includes(name),
  import: (name) => providers[name].history?.parts.some(({ ofJobs }) => ofJobs) === true,
  people: canListUsers,
  checkout: (name) => has(name, 'checkouts'),
}

const CI: Ability[] = ['console', 'retry', 'stop', 'start']
/** By hand: a tool or an ability that is missing here fails the test below. */
const TABLE: Partial<Record<ProviderName, Ability[]>> = {
  github: [...CI, 'file', 'status', 'comment', 'bisect', 'people'],
  gitlab: [...CI, 'file', 'status', 'comment', 'people'],
  azure_devops: ['console', 'people'],
  bitbucket: ['console'],
  perforce: ['file', 'comment', 'people', 'checkout'],
  diversion: ['file'],
  jenkins: [...CI, 'bisect', 'import'],
  buildkite: [...CI, 'bisect', 'import'],
  teamcity: [...CI, 'import'],
  horde: CI,
  jira: ['comment', 'people'],
  linear: ['comment', 'people'],
  monday: ['people'],
  asana: ['people'],
  clickup: ['people'],
  youtrack: ['people'],
  shortcut: ['people'],
}

interface Site {
  /** The path of the server in the settings. */
  base?: string
  config?: object
  /** What a lead confirmed. */
  places?: string[]
  /** Where a build, change or issue is; `name` is `own` or `secret`. */
  at(name: string): { job?: string; url?: string; external_id?: string; issue?: string; path?: string }
}

/** `own` is ours and `secret` is another project of the same server. A report says `own` of the id 999 too, which is elsewhere. */
const SITES: Partial<Record<ProviderName, Site>> = {
  github: {
    base: '/repos/owl/own',
    at: (name) => ({ job: 'own', url: `https://github.com/owl/${name}/actions/runs/7/-/`, external_id: 'run:7' }),
  },
  gitlab: {
    config: { gitlab_project: 'owl/own' },
    at: (name) => ({ job: `owl/${name}`, url: `${server.url}/owl/${name}/-/pipelines/7`, external_id: 'pipeline:7' }),
  },
  azure_devops: {
    // Its people are those of the organization.
    base: '/owl/',
    at: (name) => ({ job: name, url: `${server.url}/owl/${name}/_build`, external_id: 'build:7' }),
  },
  bitbucket: {
    base: '/repositories/owl/own',
    at: (name) => ({ job: name, url: `https://b.example/${name}`, external_id: 'pipeline:{r}:7' }),
  },
  perforce: {
    config: { user: 'gold', password: 'x', branches: '//own/main' },
    at: (name) => ({ path: `//${name}/main/${counted}.png` }),
  },
  diversion: { config: { diversion_repository: 'own' }, at: (name) => ({ path: `${name}.png` }) },
  jenkins: { places: ['own'], at: (name) => ({ job: name, url: `${server.url}/job/${name}/7/` }) },
  buildkite: { base: '/v2/organizations/owl', places: ['own'], at: (name) => ({ job: name }) },
  teamcity: {
    places: ['Game/own'],
    at: (name) => ({
      job: `Game/${name}`,
      external_id: name === 'elsewhere' ? 'build:999' : name === 'own' ? 'build:7' : 'build:999',
    }),
  },
  horde: {
    config: { horde_streams: 'own' },
    at: (name) => ({ job: 'cook', external_id: name === 'own' ? 'horde:7' : 'horde:999' }),
  },
  jira: {
    config: { projects: 'OWN' },
    at: (name) => ({ url: `${server.url}/browse/${name.toUpperCase()}-1`, issue: `${name.toUpperCase()}-1` }),
  },
  linear: {
    base: '/graphql',
    config: { teams: 'OWN' },
    at: (name) => ({ url: `https://linear.app/owl/issue/${name.toUpperCase()}-1`, issue: `${name.toUpperCase()}-1` }),
  },
  monday: { at: () => ({}) },
  asana: { base: '/projects/own', at: () => ({}) },
  clickup: { at: () => ({}) },
  youtrack: { at: () => ({}) },
  shortcut: { at: () => ({}) },
}

let studio: Studio
let server: LocalServer
let outside: JobContext & { p4: string }
let requests: string[] = []
/** What the server answers to requests for a project that is not ours, if it refuses them. */
let refusal: number | undefined
const p4 = scratch()
const path = process.env.PATH

/** Enough of every tool's API that each request gets an answer that leads on. */
function answerTo(url: string): unknown {
  if (/buildTypes/.test(url))
    return {
      buildType: [
        { id: 'own', name: 'own', projectName: 'Game' },
        { id: 'secret', name: 'secret', projectName: 'Game' },
      ],
    }
  if (/app\/rest\/builds\/id:/.test(url))
    return {
      buildType: { id: 'b', projectName: 'Game', name: url.includes('id:999') ? 'secret' : 'own' },
      originalProperties: {},
    }
  if (/\/jobs\/(7|999)\b/.test(url) && url.includes('/api/v1'))
    return {
      streamId: url.includes('999') ? 'secret' : 'own',
      templateId: 't',
      batches: [{ steps: [{ name: 's', outcome: 'Failure', logId: 'l7' }] }],
    }
  if (/v9\/reviews/.test(url)) return { reviews: [{ id: url.includes('=1250') ? 1 : 999, versions: [{ time: 1 }] }] }
  if (/\/pipelines\/7\/jobs/.test(url)) return [{ id: 1, status: 'failed' }]
  if (/pipelines\?sha|\/notes|\/comment\?|members|collaborators|users|\/statuses\?|\/comments\?/.test(url)) return []
  if (/\/pipelines\/\?/.test(url)) return { values: [{ build_number: 7, uuid: 'u' }], pagelen: 100 }
  if (/\/steps\/\?/.test(url)) return { values: [{ uuid: 's', state: { result: { name: 'FAILED' } } }] }
  return {
    id: 1,
    number: 8,
    building: false,
    result: 'FAILURE',
    data: {
      issue: { id: 'i', url: 'https://linear.app/owl/issue/OWN-1' },
      commentCreate: { comment: { id: 'c' } },
      users: { nodes: [] },
    },
    actions: [],
    jobs: [{ id: 'j', type: 'script', state: 'failed', status: 'failed', conclusion: 'failure' }],
    workflows: [{ id: 5, name: 'own', path: 'own.yml', state: 'active' }],
    records: [{ type: 'Task', result: 'failed', log: { id: 1 } }],
  }
}

beforeAll(async () => {
  server = await openLocalServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${body}`)
      const isRefused = refusal !== undefined && /secret/.test(request.url!)
      response
        .writeHead(isRefused ? refusal! : 200, { 'content-type': 'application/json', 'x-text-size': '0' })
        .end(JSON.stringify(answerTo(request.url!)))
    })
  })
  standIn(
    p4.folder,
    'p4',
    `const shelf = args.at(-1)
fetch(${JSON.stringify(server.url)} + '/p4', { method: 'POST', body: args.join(' ') }).then(() => {
  if (args.includes('describe')) console.log(JSON.stringify({ change: shelf, user: 'kim', depotFile0: shelf === '1250' ? '//own/main/a.png' : '//secret/main/a.png', action0: 'edit' }))
})`,
  )
  process.env.PATH = `${p4.folder}${delimiter}${path}`
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
      projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    },
    { service: { allowedHosts: allowedHosts(['127.0.0.1']) } },
  )
  const { db, vault, log } = studio.service
  outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']), p4: 'p4' }
})
afterAll(async () => {
  process.env.PATH = path
  await studio.close()
  await server.close()
  p4.remove()
})

const star = () => Number(studio.world.projects.star!.id)
const owl = () => Number(studio.world.accounts.owl!.id)
let counted = 0

/** An integration that reaches `own` alone, with one record of what a report names. */
async function room(provider: ProviderName, name: string, { running = false, every_place = false } = {}) {
  const { base = '', config = {}, places = [], at } = SITES[provider]!
  const count = ++counted
  const where = at(name)
  const mark = `${name}${count}`
  const made = await studio.load({
    integrations: [
      {
        key: 'i',
        project: String(star()),
        provider,
        every_place,
        places,
        config: {
          server: provider === 'perforce' ? '127.0.0.1:1666' : `${server.url}${base === '/owl/' ? '/owl/own' : base}`,
          api_token: 'secret token'.replace('secret ', ''),
          swarm: server.url,
          ...config,
        },
      },
    ],
    changes: [
      {
        key: 'c',
        project: String(star()),
        identifier: String(5000 + count),
        source_type: 'Changelist',
        timestamp: new Date().toISOString(),
      },
    ],
    assets: [{ key: 'a', project: String(star()), name: mark, path: where.path ?? `f${count}.png`, last_change: 'c' }],
    build_runs: [
      {
        key: 'b',
        project: String(star()),
        integration: 'i',
        status: running ? 'building' : 'failed',
        ci_job_name: where.job ?? 'cook',
        build_number: '7',
        branch: 'main',
        commit_hash: `abc${count}`,
        kind: has(provider, 'issues') ? 'regular' : 'preflight',
        ...(provider === 'perforce' ? { shelf: name === 'own' ? '1250' : '999' } : { pull_request: String(count) }),
        ...(where.url !== undefined && { url: where.url }),
      },
    ],
    breakages: [{ key: 'k', project: String(star()), builds: ['b'], state: 'fixed', opened_at: new Date().toISOString() }],
  })
  const [integration, build, change, asset] = [
    made.integrations!.i!.id,
    made.build_runs!.b!.id,
    made.changes!.c!.id,
    made.assets!.a!.id,
  ]
  await studio.db.execute(sql`update build_runs set external_id = ${where.external_id ?? null} where id = ${Number(build)}`)
  await studio.db.execute(sql`update changes set integration_id = ${Number(integration)} where id = ${Number(change)}`)
  await studio.db.execute(sql`update integrations set write_back = true where id = ${Number(integration)}`)
  return {
    integration: Number(integration),
    build: Number(build),
    change: Number(change),
    asset: String(asset),
    where,
    provider,
    breakage: Number(made.breakages!.k!.id),
  }
}
type Room = Awaited<ReturnType<typeof room>>

const quietly = (work: Promise<unknown>) => work.catch((error: unknown) => expect(error).toBeInstanceOf(Error))
const act = (action: CiAction, { build }: Room, isLead = true) =>
  actOnBuild(outside, { account_id: owl(), project_id: star(), isLead }, build, action)
const contextOf = async ({ integration }: Room) =>
  (await studio.db.one<Parameters<typeof jobsFor>[2]>(sql`
    select i.id as integration_id, i.provider, i.config, i.project_id, i.account_id, '' as engine, null as approval_rules from integrations i where i.id = ${integration}`))!

async function writeResult(one: Room) {
  const { integration: integration_id, build: build_run_id } = one
  if (!has(one.provider, 'issues'))
    return writeBack({ ...outside, site: 'https://g.example' }, { account_id: owl(), integration_id, build_run_id })
  const { url = '', issue = '' } = one.where
  await studio.db.execute(sql`
    insert into external_references (account_id, project_id, integration_id, provider, key, url)
    values (${owl()}, ${star()}, ${integration_id}, ${one.provider}, ${issue}, ${url})`)
  return writeBackIssue(
    { ...outside, site: 'https://g.example' },
    { account_id: owl(), integration_id, breakage_id: one.breakage, key: issue },
  )
}

const DO: Record<Ability, (one: Room) => Promise<unknown>> = {
  async console(one) {
    const fact = {
      ...FAILURES[0]!,
      build: { external_id: one.where.external_id ?? '', job: one.where.job ?? '' },
      url: one.where.url ?? `${server.url}/job/x/7/`,
    }
    const job = providers[one.provider].followUp!(fact, one.build, owl())!
    return (serverJobs[job.kind as keyof typeof serverJobs] as (context: JobContext, payload: unknown) => Promise<unknown>)(
      outside,
      job.payload,
    )
  },
  async file(one) {
    await studio.db.execute(sql`
      insert into previews (account_id, project_id, asset_id, version, change_id)
      select account_id, project_id, id, version, last_change_id from assets where id = ${one.asset}`)
    return fetchPreviews(outside, { account_id: owl(), integration_id: one.integration })
  },
  status: writeResult,
  comment: writeResult,
  retry: (one) => act('retry', one),
  stop: (one) => act('stop', one),
  start: (one) => act('start', one),
  bisect: async (one) => requireReach(studio.db, await contextOf(one), { job: one.where.job }),
  import: async (one) => {
    const jobs = await jobsFor(studio.db, providers[one.provider], await contextOf(one))
    requests.push(...jobs.map((job) => `GET ${SITES[one.provider]!.base ?? ''}/${job}`))
  },
  people: (one) => askForPeople(outside, owl(), one.provider),
  checkout: (one) => readCheckouts(outside, { account_id: owl(), project_id: star() }, one.asset),
}

/** The server is asked whose an id is; nothing of the answer is kept. */
const IS_LOOKUP =
  /^GET \/app\/rest\/builds\/id:999\?fields=buildType\(id,name,projectName\) |^GET \/api\/v1\/jobs\/999\?filter=streamId |^POST \/p4 -Mj -ztag describe -S -s 999$/

/** Of another project, or outside of the one that the settings name. */
const isForeign = (request: string, provider: ProviderName) =>
  !IS_LOOKUP.test(request) &&
  !request.startsWith('GET /user ') &&
  (/secret|SECRET|999|membership=true/.test(request) ||
    !request.split(' ')[1]!.startsWith(provider === 'perforce' ? '/' : (SITES[provider]!.base ?? '')))

const CASES = Object.entries(TABLE).flatMap(([name, abilities]) =>
  abilities.map((ability) => [name as ProviderName, ability] as const),
)

test('the table names every tool and everything that its credential is used for', () => {
  const found = PROVIDERS.map((name) => [name, ABILITIES.filter((ability) => CAN[ability](name))] as const)
  const named = PROVIDERS.map((name) => [name, ABILITIES.filter((ability) => TABLE[name]?.includes(ability))] as const)
  expect(named).toEqual(found)
  expect(CASES.length * 2).toBeGreaterThanOrEqual(60)
})

test.each(CASES)('%s: %s reaches the project of the list, and no other one of the server', async (provider, ability) => {
  const running = ability === 'stop'
  requests = []
  const own = await room(provider, 'own', { running })
  await (ability === 'bisect' ? DO[ability](own) : quietly(DO[ability](own)))
  if (ability !== 'bisect')
    expect(
      requests.filter((request) => !IS_LOOKUP.test(request)),
      'own',
    ).not.toEqual([])
  if (['retry', 'stop', 'start', 'status', 'comment'].includes(ability))
    expect(
      requests.some((request) => !request.startsWith('GET') && !request.startsWith('POST /p4')),
      requests.join('\n'),
    ).toBe(true)
  expect(requests.filter((request) => isForeign(request, provider))).toEqual([])
  requests = []
  await studio.db.execute(sql`update integrations set active = false where id = ${own.integration}`)
  const foreign = await room(provider, 'secret', { running })
  const work = DO[ability](foreign)
  if (ability === 'bisect' && providers[provider].places) await expect(work).rejects.toThrow('may not use')
  else await quietly(work)
  expect(requests.filter((request) => isForeign(request, provider))).toEqual([])
  const row = await studio.db.one<{ output_log: string | null }>(
    sql`select output_log from build_runs where id = ${foreign.build}`,
  )
  if (providers[provider].places && ability === 'console') expect(row!.output_log ?? '').toBe('')
  expect(
    await studio.db.one(sql`select write_back_problem as problem from integrations where id = ${foreign.integration}`),
  ).toEqual({ problem: '' })
  await studio.db.execute(sql`update integrations set active = false where id = ${foreign.integration}`)
})

test('a build that a report places in our configuration, but the server elsewhere, is not touched', async () => {
  for (const action of ['retry', 'stop', 'start'] as const) {
    const one = await room('teamcity', 'own', { running: action === 'stop' })
    await studio.db.execute(sql`update build_runs set external_id = 'build:999' where id = ${one.build}`)
    requests = []
    await expect(act(action, one)).rejects.toThrow('elsewhere')
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatch(IS_LOOKUP)
  }
})

test('a thousand results of projects that are not ours pause nothing, and the next one of ours is written', {
  timeout: 300_000,
}, async () => {
  const own = await room('gitlab', 'own', { every_place: true })
  const { url } = own.where
  const writeAt = async (page: string) => {
    await studio.db.execute(sql`update build_runs set url = ${page} where id = ${own.build}`)
    await writeResult(own)
  }
  requests = []
  for (let at = 0; at < 1_000; at++) {
    refusal = at % 2 === 0 ? 403 : 404
    await writeAt(url!.replace('owl/own', `owl/secret${at}`))
  }
  expect(new Set(requests.map((request) => /secret\d+/.exec(request)?.[0])).size).toBe(1_000)
  expect(
    await studio.db.one(sql`
    select write_back, write_back_problem as problem from integrations where id = ${own.integration}`),
  ).toEqual({
    write_back: true,
    problem: '',
  })
  requests = []
  await writeAt(url!)
  expect(requests.filter((request) => request.startsWith('POST') && request.includes('/statuses/'))).toHaveLength(1)
  // A refusal of our own project does pause it.
  refusal = 403
  await store.edit(studio.db, { account_id: owl(), id: own.integration }, { confirm: ['owl/secret'] })
  await writeAt(url!.replace('owl/own', 'owl/secret'))
  expect(
    await studio.db.one(sql`select write_back_problem <> '' as paused from integrations where id = ${own.integration}`),
  ).toEqual({
    paused: true,
  })
  refusal = undefined
})

test('names that a server reads as another one are on no list', async () => {
  const one = await room('jenkins', 'own')
  const context = await contextOf(one)
  await store.edit(studio.db, { account_id: owl(), id: one.integration }, { confirm: ['own/*', '..'] })
  await requireReach(studio.db, context, { job: 'own/cook' })
  for (const job of ['own/../secret', '..', 'owner', 'ow', 'own2/cook'])
    await expect(requireReach(studio.db, context, { job }), job).rejects.toThrow()
})

test('what no signed report named takes a lead, where all jobs are allowed too', async () => {
  const one = await room('jenkins', 'secret', { every_place: true })
  const key = { account_id: owl(), id: one.integration }
  await store.note(studio.db, key, ['secret'], false)
  requests = []
  await expect(act('retry', one, false)).rejects.toThrow('only a lead')
  expect(requests).toEqual([])
  await act('retry', one)
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
  await store.note(studio.db, key, ['secret'], true)
  await act('retry', one, false)
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(2)
  const confirmed = await room('jenkins', 'own', { every_place: true })
  await act('retry', confirmed, false)
})

test('a token floods the list of what waits in vain', async () => {
  const one = await room('jenkins', 'own')
  const key = { account_id: owl(), id: one.integration }
  await store.note(
    studio.db,
    key,
    Array.from({ length: 150 }, (_, at) => `a${at}`),
    false,
  )
  for (let at = 0; at < 60; at++) await store.note(studio.db, key, [`b${at}`], false)
  expect((await store.find(studio.db, key)).listed.filter(({ confirmed }) => !confirmed)).toHaveLength(200)
  await store.note(studio.db, key, ['signed'], true)
  expect((await store.find(studio.db, key)).listed.find(({ place }) => place === 'signed')).toMatchObject({ signed: true })
})

test('nothing but the check opens the settings of an integration for its server', () => {
  const src = resolve(import.meta.dirname, '../..')
  const opens = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && /\bopenConfig\b/.test(readFileSync(join(src, file), 'utf8')),
  )
  expect(opens.toSorted()).toEqual(['domain/integrations/config.ts', 'intake/reach/reach.ts'])
})
