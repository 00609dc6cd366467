import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { place } from '../../../test/support/place.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { branchKey } from '../branches/branch-names.ts'
import { inferBranches, inferBranchesOf } from '../branches/positions.ts'
import * as index from './index.ts'

const ADDRESS = 'kim@secret.example'
const WORDS = ['crate', 'harbour', 'lantern', 'shader', 'ropes', 'menu']
const AUTHORS = [`Kim Lindqvist <${ADDRESS}>`, ADDRESS, 'Ola Berg', 'Mira Olawsky', '']
const PATHS = ['Source/Physics/Crate.cpp', 'Content/Maps/Harbour.umap', `art/${ADDRESS}/Lantern.png`, 'Source/Menu/Ropes.cpp']
const BRANCHES = ['main', 'origin/main', 'feature/ropes', '//Game/Main/...', '//game/main', '']
const JOBS = ['nightly-win64', 'nightly-ps5', 'Crate Tests']
const SIZE = 120

/** Deterministic pseudo-random numbers. */
const drawn = (n: number, salt: number) => (Math.imul(n + 1, 2_654_435_761) ^ Math.imul(salt + 7, 40_503)) >>> 8
const pick = <T>(from: readonly T[], n: number, salt: number): T => from[drawn(n, salt) % from.length]!
/** Several records share a time, and their ids are in another order. */
const time = (n: number, salt: number) => new Date(Date.UTC(2026, 0, 1) + (drawn(n, salt) % 40) * 3_600_000).toISOString()
const each = <T>(make: (n: number) => T): T[] => Array.from({ length: SIZE }, (_, n) => make(n))
const hash = (n: number) => drawn(n, 99).toString(16).padStart(8, '0').repeat(5)
const words = (n: number) => `${pick(WORDS, n, 1)} ${pick(WORDS, n, 2)} ${n}`

const world = {
  ...workshop,
  changes: each((n) => ({
    key: `c${n}`,
    project: n % 10 === 9 ? 'moon' : 'star',
    identifier: n % 3 === 0 ? String(5_000 + n) : hash(n),
    source_type: n % 3 === 0 ? 'Changelist' : 'GitCommit',
    description: `${words(n)}${n % 7 === 0 ? `\n\nAsked by ${ADDRESS}` : ''}`,
    author: pick(AUTHORS, n, 3),
    files: [0, 1].slice(0, n % 3).map((f) => ({ path: pick(PATHS, n, 4 + f) })),
    ...(n % 11 === 0 ? { orphaned_at: time(n, 5) } : {}),
    timestamp: time(n, 6),
  })),
  build_runs: each((n) => ({
    key: `b${n}`,
    project: n % 10 === 9 ? 'moon' : 'star',
    status: pick(['failed', 'completed'], n, 10),
    ci_job_name: pick(JOBS, n, 11),
    build_number: String(n),
    ...(n % 4 === 0 ? {} : drawn(n, 12) % 3 === 0 ? {} : { commit_hash: hash(drawn(n, 13) % SIZE) }),
    ...(n % 4 === 0 ? { changelist: String(5_000 + 3 * (drawn(n, 14) % 40)) } : {}),
    branch: pick(BRANCHES, n, 15),
    ...(n % 5 === 0 ? {} : { finished_at: time(n, 16) }),
    created_at: time(n, 17),
  })),
  tasks: each((n) => ({
    key: `t${n}`,
    project: n % 10 === 9 ? 'moon' : 'star',
    title: words(n),
    state: pick(['to_do', 'blocked'], n, 20),
    labels: [pick(['art', 'code'], n, 21)],
    created_at: time(n, 22),
  })),
  assets: each((n) => ({
    key: `a${n}`,
    project: n % 10 === 9 ? 'moon' : 'star',
    name: `T_${pick(WORDS, n, 30)}_${n}`,
    path: `Content/${pick(WORDS, n, 31)}/T_${n}.uasset`,
    asset_type: pick(['texture', 'model'], n, 32),
    created_at: time(n, 33),
  })),
}

let studio: Studio
const { inside, id } = visitor(() => studio)

beforeAll(async () => {
  studio = await openStudio(world, { wideIds: true })
  // Sequentially, so that a build without a branch belongs to the first.
  for (const salt of [40, 41])
    for (const project of ['star', 'moon']) {
      const account_id = Number(id('accounts', Object.keys(studio.world.accounts!)[0]!))
      const project_id = Number(id('projects', project))
      const placements = world.changes.flatMap(({ key, ...change }, n) =>
        change.project === project ? [{ change_id: Number(id('changes', key)), branch: pick(BRANCHES, n, salt) }] : [],
      )
      await place(studio.db, placements)
      await inferBranchesOf(
        studio.db,
        { account_id, project_id },
        placements.map(({ change_id }) => change_id),
      )
    }
  // Builds whose own changelist was never reported.
  await inferBranches(studio.db, Number(id('accounts', Object.keys(studio.world.accounts!)[0]!)))
})
afterAll(() => studio.close())

type Row = Record<string, never> & { id: string }
type Query = Record<string, string>

/** All results of a search or a list, page by page. */
async function walk(path: string, key: string, query: Query): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { status, json, text } = await inside(`/${path}?${new URLSearchParams({ ...query, ...(cursor && { cursor }) })}`)
    expect(status, text).toBe(200)
    rows.push(...json[key])
    if (!json.pagination.has_more) return rows
    cursor = json.pagination.next_cursor
  }
}

const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
const asked = (value: string | undefined, holds: (value: string) => boolean) => value === undefined || holds(value)

interface Shown {
  id: string
  identifier: string
  display_identifier: string
  description: string
  author: string
  branches: string[]
  files: { path: string }[]
  timestamp: string
  orphaned_at: string | null
  source_type: string
}
interface Build {
  id: string
  status: string
  ci_job_name: string
  build_number: string
  commit_hash: string
  changelist: string
  branch: string
  finished_at: string | null
}
type Named = Record<'id' | 'title' | 'state' | 'name' | 'path' | 'asset_type', string> & { labels: string[] }

/** All records of the project, as a caller without any search would collect them. */
async function gather() {
  const listed = await walk('search/changes', 'changes', { orphaned: 'true', limit: '50' })
  const changes = await Promise.all(listed.map(async (row) => (await inside(`/changes/${row.id}`)).json as Shown))
  const builds = (await walk('search/build_runs', 'build_runs', { limit: '50' })) as unknown as Build[]
  const tasks = (await walk('tasks', 'tasks', { limit: '50' })) as unknown as Named[]
  const assets = (await walk('search/assets', 'assets', { limit: '50' })) as unknown as Named[]
  const changesOf = (build: Build) =>
    changes.filter(({ identifier }) => identifier === build.commit_hash || identifier === build.changelist)
  const streams = [...new Set(changes.flatMap(({ branches }) => branches))].filter((name) => name.startsWith('//'))
  const placed = (name: string, type?: string) =>
    changes.some(({ branches, source_type }) => branches.includes(name) && (type === undefined || source_type === type))
  /** For a changelist alone: the only stream with that last folder, or a branch with changelists. For a commit: the branch as reported. */
  const branchOf = (build: Build) => {
    const name = branchKey(build.branch)
    if (name.startsWith('//') || build.commit_hash !== '' || build.changelist === '') return name
    const called = streams.filter((stream) => stream.endsWith(`/${name.toLowerCase()}`))
    if (called.length > 0) return called.length === 1 ? called[0] : undefined
    return placed(name, 'Changelist') || !placed(name) ? name : undefined
  }
  return {
    changes: (q: Query) =>
      changes.filter(
        (c) =>
          (q.orphaned === 'true' || c.orphaned_at === null) &&
          asked(q.q, (text) => has(`${c.display_identifier} ${c.description} ${c.author}`, text)) &&
          asked(q.author, (text) => has(c.author, text)) &&
          asked(q.path, (text) => c.files.some(({ path }) => has(path, text))) &&
          asked(q.branch, (branch) => c.branches.includes(branchKey(branch))) &&
          asked(q.identifier, (identifier) => c.identifier === identifier) &&
          asked(q.source_type, (type) => c.source_type === type),
      ),
    build_runs: (q: Query) => {
      const kept = builds.filter(
        (b) =>
          asked(q.status, (status) => b.status === status) &&
          asked(q.q, (text) => has(`${b.ci_job_name} #${b.build_number} ${b.branch}`, text)) &&
          asked(q.job, (job) => b.ci_job_name === job) &&
          asked(q.changelist, (changelist) => b.changelist === changelist) &&
          asked(q.commit, (commit) => b.commit_hash.startsWith(commit)) &&
          asked(q.author, (author) => changesOf(b).some((change) => has(change.author, author))) &&
          asked(q.branch, (branch) =>
            b.branch === ''
              ? changesOf(b).some((change) => change.branches[0] === branchKey(branch))
              : branchOf(b) === branchKey(branch),
          ) &&
          asked(q.finished_since, (since) => b.finished_at !== null && b.finished_at >= since) &&
          asked(q.finished_until, (until) => b.finished_at !== null && b.finished_at < until),
      )
      if (q.finished_since === undefined && q.finished_until === undefined) return kept
      return kept.sort((a, b) =>
        a.finished_at! === b.finished_at! ? Number(b.id) - Number(a.id) : a.finished_at! < b.finished_at! ? 1 : -1,
      )
    },
    tasks: (q: Query) =>
      tasks.filter(
        (t) =>
          asked(q.q, (text) => has(`${t.title} #${t.id}`, text)) &&
          asked(q.state, (state) => t.state === state) &&
          asked(q.label, (label) => t.labels.includes(label)),
      ),
    assets: (q: Query) =>
      assets.filter(
        (a) => asked(q.q, (text) => has(`${a.name} ${a.path}`, text)) && asked(q.asset_type, (type) => a.asset_type === type),
      ),
  }
}

const maybe = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })
const TEXTS = ['crate', 'harb', 'nter', 'shader', 'ropes', 'zzyzx', 'secret', 'example', 'secret.example', 'nightly', 'uasset']
const AUTHOR_TEXTS = ['kim', 'lindqvist', 'olaw', 'berg', 'secret', 'nobody']
const TIMES = ['2026-01-01T05:00:00.000Z', '2026-01-01T20:00:00.000Z', '2026-01-02T08:00:00.000Z']
type Queries = Record<'changes' | 'build_runs' | 'tasks' | 'assets', fc.Arbitrary<Record<string, string | undefined>>>
const QUERIES: Queries = {
  changes: fc.record({
    q: maybe(...TEXTS),
    author: maybe(...AUTHOR_TEXTS),
    path: maybe('physics/crate', 'source', '.umap', 'secret', 'lantern', 'nowhere'),
    branch: maybe('main', 'refs/heads/main', '//GAME/main/', 'feature/ropes', 'gone'),
    orphaned: maybe('true', 'false'),
    identifier: fc.option(fc.constantFrom('5003', hash(4), 'none'), { nil: undefined, freq: 8 }),
    source_type: maybe('Changelist', 'GitCommit'),
  }),
  build_runs: fc.record({
    q: maybe(...TEXTS, 'win64', 'main'),
    author: maybe(...AUTHOR_TEXTS),
    branch: maybe('main', 'origin/main', '//game/main', 'feature/ropes', 'gone'),
    job: maybe(...JOBS, 'nightly'),
    changelist: fc.option(fc.constantFrom('5003', '5006', '5012', '1'), { nil: undefined, freq: 6 }),
    commit: fc.option(fc.constantFrom(hash(4), hash(7).slice(0, 8), hash(10).slice(0, 7)), { nil: undefined, freq: 6 }),
    finished_since: maybe(...TIMES),
    finished_until: maybe(...TIMES),
    status: maybe('failed', 'completed', 'cancelled'),
  }),
  tasks: fc.record({ q: maybe(...TEXTS), state: maybe('to_do', 'blocked', 'completed'), label: maybe('art', 'none') }),
  assets: fc.record({ q: maybe(...TEXTS), asset_type: maybe('texture', 'model', 'audio') }),
}
type Noun = keyof Queries

const defined = (query: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Query

describe.each([
  ['waits to be indexed', async () => {}],
  ['is indexed', () => index.indexAll(studio.db)],
])('what %s', (_, prepare) => {
  let expected: Awaited<ReturnType<typeof gather>>
  beforeAll(async () => {
    await prepare()
    expected = await gather()
  })

  test.each(Object.keys(QUERIES) as Noun[])(
    '%s are found by every filter, alone and combined, each once and in order',
    async (noun) => {
      const found = async (query: Query, limit: number) =>
        (await walk(`search/${noun}`, noun, { ...query, limit: String(limit) })).map((row) => row.id)
      for (const name of Object.keys(fc.sample(QUERIES[noun], { numRuns: 1, seed: 1 })[0]!))
        for (const value of new Set(fc.sample(QUERIES[noun], { numRuns: 60, seed: 2 }).map((query) => defined(query)[name])))
          if (value !== undefined)
            expect(await found({ [name]: value }, 50), `${name}=${value}`).toEqual(
              expected[noun]({ [name]: value }).map((row) => row.id),
            )
      await fc.assert(
        fc.asyncProperty(QUERIES[noun], fc.integer({ min: 3, max: 50 }), async (given, limit) => {
          const query = defined(given)
          expect(await found(query, limit)).toEqual(expected[noun](query).map((row) => row.id))
        }),
        { numRuns: 40, seed: 20_260_901 },
      )
    },
  )

  test('a part of an address finds nothing that does not show it', async () => {
    for (const part of [ADDRESS, 'secret.example', 'secret', '@secret', 'kim@', '%40secret'])
      for (const [noun, names] of Object.entries({
        changes: ['q', 'author', 'path', 'branch'],
        build_runs: ['q', 'author', 'job', 'branch', 'commit', 'changelist'],
        tasks: ['q'],
        assets: ['q'],
      }))
        for (const name of names)
          expect(await walk(`search/${noun}`, noun, { [name]: part }), `${noun} ${name}=${part}`).toEqual([])
  })
})
