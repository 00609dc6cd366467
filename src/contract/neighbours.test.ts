import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'
import { type Route, type RouteName, routes } from './routes.ts'
import { SCOPES } from './sets.ts'

/**
 * What an answer is about, and nothing else, is in it: for every route with a filter or a place in its path, a neighbour arrives that
 * differs from what is asked for in this alone (another project of the account, branch, job, platform, kind, record, …), and the answer
 * stays the same. That the neighbour is there is seen where it is asked for.
 */

type Kind = 'build_runs' | 'changes' | 'tasks' | 'assets' | 'deployments' | 'breakages'
type Fields = Record<string, unknown>
/** A record and those that it came with. */
type Made = Record<Kind, Fields & { id: number | string }>

let studio: Studio
let [star, moon]: number[] = []
let base: Made
let count = 0

beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
    users: ['kim', 'ann'].map((key) => ({ key, email: `${key}@example.com`, name: key, accounts: { owl: 'owner' } })),
    projects: ['star', 'moon'].map((key) => ({ key, account: 'owl', name: key, engine: 'unreal' })),
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
  })
  star = Number(studio.world.projects!.star!.id)
  moon = Number(studio.world.projects!.moon!.id)
  base = await make(star)
})
afterAll(() => studio.close())

/** People have their ids once the studio is open. */
const resolved = (fields: Fields = {}): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === 'ann' ? user('ann') : value]))
const user = (key: string) => Number(studio.world.users![key]!.id)
const at = (minutes: number) => new Date(Date.now() - 86_400_000 + minutes * 60_000).toISOString()

/** One of everything, or `only` of a few kinds, with what hangs on it; alike but for numbers and the given fields. */
async function make(project: number, fields: Partial<Record<Kind, Fields>> = {}, only?: readonly Kind[]): Promise<Made> {
  const n = ++count
  const [kim, when] = [user('kim'), { created_at: at(n), updated_at: at(n) }]
  const { artifact = 'Game.zip', ...ofBuilds } = fields.build_runs ?? {}
  const { approval, ...ofAsset } = fields.assets ?? {}
  const change = {
    ...{
      key: 'c',
      project,
      identifier: `${1000 + n}${'a'.repeat(36)}`,
      source_type: 'GitCommit',
      author: 'Kim',
      description: 'Work',
    },
    ...{ timestamp: at(n), files: [{ path: 'Content/T.png', action: 'edit' }], branches: ['main'], ...when, ...fields.changes },
  }
  const build = {
    ...{ key: 'b', project, status: 'failed', build_type: 'unreal', target_type: 'development', ci_job_name: 'Cook' },
    ...{
      branch: 'main',
      build_number: `${n}1`,
      commit_hash: only ? base.changes.identifier : change.identifier,
      changelist: `${7000 + n}`,
    },
    ...{ platform: 'Win64', configuration: 'Development', agent: 'BUILD-01', duration_seconds: 60 },
    ...{ measures: [{ name: 'package', value: n, unit: 's' }], started_at: at(n), finished_at: at(n) },
    ...{ output_log: 'line\nerror: it broke\n', ...when, ...ofBuilds },
  }
  const passed = { ...build, key: 'p', status: 'completed', build_number: `${n}2`, ...ofBuilds }
  const shelf = `${9000 + n}`
  const preflight = {
    ...build,
    key: 'f',
    build_number: `${n}3`,
    kind: 'preflight',
    shelf,
    changelist: shelf,
    pull_request: shelf,
    ...ofBuilds,
  }
  const task = {
    ...{ key: 't', project, title: 'Task', state: 'to_do', task_type: 'bug', priority: 'low', labels: ['a'], user: kim, ...when },
    ...{ ...(!only && { links: { changes: ['c'], build_runs: ['b'], deployments: ['d'] } }), ...resolved(fields.tasks) },
  }
  const asset = {
    ...{
      key: 'a',
      project,
      name: 'T.png',
      path: `Content/${n}/${(ofAsset.name as string) ?? 'T.png'}`,
      asset_type: 'texture',
      last_change: 'c',
      ...when,
      ...ofAsset,
    },
    approvals: [
      { key: 'y', status: 'pending', stage: 'art', commit_sha: change.identifier, version: 1, ...when, ...(approval as object) },
    ],
  }
  const deployment = {
    key: 'd',
    project,
    platform: 'steam',
    status: 'live',
    branch: 'main',
    version: '1',
    build_run: 'b',
    ...when,
  }
  const breakage = {
    ...{ key: 'k', project, builds: ['b'], jobs: [build.ci_job_name], state: 'open', branch: 'main', category: 'compile_error' },
    ...{ cause: 'It broke', opened_at: at(n), last_seen_at: at(n), owner: kim, suspects: ['c'] },
  }
  const cases = (outcome: string) => [{ name: 'walks', outcome }, { name: 'runs' }]
  const lists = {
    changes: [change],
    build_runs: only ? [build] : [build, passed, preflight],
    tasks: [task],
    assets: [asset],
    deployments: [{ ...deployment, ...fields.deployments }],
    breakages: [{ ...breakage, ...resolved(fields.breakages) }],
  }
  const hanging = {
    corrections: [{ key: 'x', project, build_run: 'b', cause: 'It broke', user: kim }],
    test_results: ['b', 'p', 'f'].map((build_run) => ({
      build_run,
      report: 'unit',
      cases: cases(build_run === 'p' ? 'passed' : 'failed'),
    })),
    comments: (['task', 'build_run', 'breakage', 'change', 'asset', 'deployment'] as const).map((on, i) => ({
      ...{ project, [on]: 'tbkcad'[i], body: 'Seen', user: kim, created_at: at(n), key: on },
    })),
  }
  const wanted = only ? Object.fromEntries(only.map((kind) => [kind, lists[kind]])) : { ...lists, ...hanging }
  const made = (await studio.load(wanted)) as unknown as Record<string, Record<string, { id: number }>>
  const id = (kind: string, key: string) => made[kind]?.[key]?.id ?? 0
  for (const build of [id('build_runs', 'b'), id('build_runs', 'p')]) await store(build, artifact as string)
  await studio.db.execute(sql`
    insert into investigations (account_id, build_run_id, status, created_at, finished_at, correction_id)
    select account_id, build_run_id, 'completed', ${at(n)}, ${at(n)}, id from corrections where id = ${id('corrections', 'x')}`)
  const tests = await studio.db.one<{ id: number }>(
    sql`select min(id) as id from test_cases where project_id = ${project} and name = 'walks'`,
  )
  return {
    build_runs: { ...build, id: id('build_runs', 'b'), artifact, shelf, test: tests?.id },
    changes: { ...change, id: id('changes', 'c') },
    tasks: { ...task, id: id('tasks', 't'), comment: id('comments', 'task') },
    assets: {
      ...asset,
      id: id('assets', 'a'),
      approval: id('approvals', 'y'),
      stage: asset.approvals[0]!.stage,
      status: asset.approvals[0]!.status,
    },
    deployments: { ...deployment, ...fields.deployments, id: id('deployments', 'd') },
    breakages: { ...breakage, ...resolved(fields.breakages), id: id('breakages', 'k') },
  }
}

async function store(build: number, name: string) {
  await studio.db.execute(sql`
    insert into file_contents (account_id, sha256, bytes, content) select account_id, sha256('a game'), 6, 'a game' from build_runs where id = ${build}
    on conflict do nothing`)
  await studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
    select account_id, project_id, id, ${name}, 'one', 6, 6, created_at, sha256('a game') from build_runs where id = ${build}`)
}

interface Filter {
  /** What another record has instead. */
  other: Partial<Record<Kind, Fields>>
  /** The parameter that asks for a record. */
  of: (made: Made) => unknown
  only?: readonly Kind[]
  /** Where the neighbour is beside the base. */
  to?: () => Promise<Made>
}
/** A field that records share, such as a branch. */
const shared = (kind: Kind, field: string, other: unknown, of = (made: Made) => made[kind][field]): Filter => ({
  other: { [kind]: { [field]: other } },
  of,
})
/** What every record has of its own, such as a commit. */
const own = (of: (made: Made) => unknown): Filter => ({ other: {}, of })

const BUILD = {
  status: shared('build_runs', 'status', 'cancelled'),
  build_type: shared('build_runs', 'build_type', 'unity'),
  target_type: shared('build_runs', 'target_type', 'shipping'),
  branch: { ...shared('build_runs', 'branch', 'dev'), other: { build_runs: { branch: 'dev' }, changes: { branches: ['dev'] } } },
  job: shared('build_runs', 'ci_job_name', 'Ship'),
  platform: shared('build_runs', 'platform', 'PS5'),
  configuration: shared('build_runs', 'configuration', 'Shipping'),
  agent: shared('build_runs', 'agent', 'BUILD-02'),
  changelist: own((made) => made.build_runs.changelist),
  commit: own((made) => made.changes.identifier),
  author: shared('changes', 'author', 'Ann'),
  q: shared('build_runs', 'ci_job_name', 'Sign'),
}
const TASK = {
  state: shared('tasks', 'state', 'blocked'),
  task_type: shared('tasks', 'task_type', 'art'),
  priority: shared('tasks', 'priority', 'high'),
  assignee: shared('tasks', 'user', 'ann', ({ tasks }) => `user:${tasks.user}`),
  label: shared('tasks', 'labels', ['b'], ({ tasks }) => (tasks.labels as string[])[0]),
  q: shared('tasks', 'title', 'Chore'),
}
const ASSET = {
  pending_approval: shared('assets', 'approval', { status: 'approved' }, ({ assets }) =>
    assets.status === 'pending' ? 'true' : undefined,
  ),
  asset_type: shared('assets', 'asset_type', 'audio'),
  q: shared('assets', 'name', 'Song.wav'),
}
const CHANGE = {
  identifier: own((made) => made.changes.identifier),
  source_type: shared('changes', 'source_type', 'AssetCommit'),
  branch: shared('changes', 'branches', ['dev'], ({ changes }) => (changes.branches as string[])[0]),
  author: shared('changes', 'author', 'Ann'),
  path: shared(
    'changes',
    'files',
    [{ path: 'Sound/S.wav', action: 'edit' }],
    ({ changes }) => (changes.files as { path: string }[])[0]!.path,
  ),
  q: shared('changes', 'description', 'Play'),
}
const DEPLOYMENT = {
  status: shared('deployments', 'status', 'rejected'),
  platform: shared('deployments', 'platform', 'custom'),
  build_run_id: own((made) => made.build_runs.id),
}
/** Of another job: a build of the same one without the measure would count as that. */
const MEASURED: Filter = {
  other: { build_runs: { ci_job_name: 'Ship', measures: [{ name: 'cook', value: 1, unit: 's' }] } },
  of: ({ build_runs }) => (build_runs.measures as { name: string }[])[0]!.name,
}
/** Of passed builds; a deployment would say what is live. */
const MEASURE = Object.fromEntries(
  Object.entries({ ...BUILD, name: MEASURED }).map(([name, filter]): [string, Filter] => {
    const build = { ...filter.other.build_runs, status: 'completed' }
    return [name, { ...filter, other: { build_runs: build }, only: ['build_runs'] }]
  }),
)
const APPROVAL = {
  status: shared('assets', 'approval', { status: 'denied' }, ({ assets }) => assets.status),
  stage: shared('assets', 'approval', { stage: 'sound' }, ({ assets }) => assets.stage),
  commit_sha: own((made) => made.changes.identifier),
}
const EVENTS: Filter = { other: {}, only: ['changes'], of: (made) => (made === base ? 'build_run.failed' : 'change.submitted') }

/** By route, its filters. */
const FILTERS: Partial<Record<RouteName, Record<string, Filter>>> = {
  listTasks: TASK,
  searchTasks: TASK,
  listBuilds: BUILD,
  searchBuilds: BUILD,
  listBuildArtifacts: {
    name: {
      ...shared('build_runs', 'artifact', 'Game.pdb'),
      async to() {
        await store(base.build_runs.id as number, 'Game.pdb')
        return { ...base, build_runs: { ...base.build_runs, artifact: 'Game.pdb' } }
      },
    },
  },
  listLatestArtifacts: { ...BUILD, name: shared('build_runs', 'artifact', 'Game.pdb') },
  listCorrections: { build_run_id: own((made) => made.build_runs.id) },
  listTests: BUILD,
  showTest: BUILD,
  listMeasures: MEASURE,
  showMeasures: MEASURE,
  showCosts: BUILD,
  listDeployments: DEPLOYMENT,
  searchDeployments: DEPLOYMENT,
  listAssets: ASSET,
  searchAssets: ASSET,
  listApprovals: APPROVAL,
  listChanges: CHANGE,
  searchChanges: CHANGE,
  listBranches: { q: { ...BUILD.branch, other: { build_runs: { branch: 'dev' }, changes: { branches: ['dev'] } } } },
  showBranchHealth: BUILD,
  showPreflight: {
    shelf: own((made) => made.build_runs.shelf),
    pull_request: own((made) => made.build_runs.shelf),
    commit: own((made) => made.build_runs.commit_hash),
  },
  listBreakages: {
    state: shared('breakages', 'state', 'fixed'),
    branch: shared('breakages', 'branch', 'dev'),
    category: shared('breakages', 'category', 'link_error'),
    owner: shared('breakages', 'owner', 'ann', ({ breakages }) => (breakages.owner === 'ann' ? user('ann') : breakages.owner)),
  },
  listComments: { record: own((made) => `build_run/${made.build_runs.id}`) },
  listEvents: { event_type: EVENTS, event_types: EVENTS },
}
/** What asks for a part of a list or in another form; `since`, `until` and the like are tested with the times of each list. */
const NO_FILTERS =
  'account_id before_id before_version current cursor days days_back finished_since finished_until format limit orphaned project_id search since since_id tail updated_since'.split(
    ' ',
  )

const reading = (Object.entries(routes) as [RouteName, Route][]).filter(([, { method }]) => method === 'GET')
const inProject = reading.filter(([, { path }]) => path.includes(':project_id'))
const filtered = reading.flatMap(([name, { query }]) =>
  Object.keys(query)
    .filter((param) => !NO_FILTERS.includes(param))
    .map((param) => [name, param] as const),
)

/** The record in the path, by the word before it. */
const IDS: Record<string, (made: Made) => unknown> = {
  tasks: ({ tasks }) => tasks.id,
  build_runs: ({ build_runs }) => build_runs.id,
  tests: ({ build_runs }) => build_runs.test,
  assets: ({ assets }) => assets.id,
  approvals: ({ assets }) => assets.approval,
  changes: ({ changes }) => changes.id,
  deployments: ({ deployments }) => deployments.id,
  breakages: ({ breakages }) => breakages.id,
  comments: ({ tasks }) => tasks.comment,
}
/** Parameters that are only asked for together. */
const TOGETHER: Partial<Record<RouteName, (made: Made) => Fields>> = {
  showMeasures: (made) => ({ name: MEASURED.of(made), job: BUILD.job.of(made) }),
}

async function ask(name: RouteName, made: Made, project: number, query: Fields = {}) {
  const path = routes[name].path
    .replace(':project_id', String(project))
    .replace(/(\w+)\/:\w+/, (_, word) => `${word}/${IDS[word]!(made)}`)
  const told = Object.entries({ ...TOGETHER[name]?.(made), ...query }).filter(([, value]) => value !== undefined)
  const answer = await studio.ask(
    `/api${path}?${new URLSearchParams(Object.fromEntries(told.map(([key, value]) => [key, String(value)])))}`,
    {
      token: studio.world.tokens!.kim!.token as string,
    },
  )
  if (answer.status !== 200) throw new Error(`${path} ${JSON.stringify(query)}: ${answer.status} ${answer.text}`)
  return answer.json ?? answer.text
}

test('every filter of every route is among these', () => {
  expect(filtered.filter(([name, param]) => !FILTERS[name]?.[param])).toEqual([])
})

describe.each(filtered)('%s by %s', (name, param) => {
  test('says nothing of a neighbour, which is there', async () => {
    const { other, of, only, to } = FILTERS[name]![param]!
    const all = () => ask(name, base, star!)
    const before = await ask(name, base, star!, { [param]: of(base) })
    const allBefore = await all()
    const made = to ? await to() : await make(star!, other, only)
    expect(await ask(name, base, star!, { [param]: of(base) })).toEqual(before)
    if (!(param in (TOGETHER[name]?.(base) ?? {}))) expect(await all()).not.toEqual(allBefore)
    // Also on the page of the same record.
    const there = { ...made, build_runs: { ...made.build_runs, test: base.build_runs.test, id: base.build_runs.id } }
    expect(await ask(name, to ? there : made, star!, { [param]: of(made) })).not.toEqual(before)
  })
})

/** Without a parameter it is about the newest. */
const ONE: Partial<Record<RouteName, (made: Made) => Fields>> = {
  showPreflight: ({ build_runs }) => ({ shelf: build_runs.shelf }),
}

/** Asks every route of a project about the same before and after. */
async function around(neighbour: () => Promise<unknown>) {
  const answers = async () => {
    const entries: [string, unknown][] = []
    for (const [name] of inProject) entries.push([name, await ask(name, base, star!, ONE[name]?.(base))])
    return Object.fromEntries(entries)
  }
  const before = await answers()
  await neighbour()
  return { before, after: await answers() }
}

describe('another project of the account, where the same is there,', () => {
  let [asked, there]: [Awaited<ReturnType<typeof around>>?, Made?] = []
  beforeAll(async () => {
    asked = await around(async () => {
      there = await make(moon!)
    })
  })
  test.each(inProject.map(([name]) => name))('is not in %s', async (name) => {
    expect(asked!.after[name]).toEqual(asked!.before[name])
    await ask(name, there!, moon!)
  })
})

/** Of a record, but also about the builds around it. */
const AROUND: RouteName[] = ['listBuildTests', 'showTest']

describe('another record of the project', () => {
  let asked: Awaited<ReturnType<typeof around>> | undefined
  beforeAll(async () => {
    asked = await around(() => make(star!))
  })
  const ofRecord = inProject.filter(([name, { path }]) => /:project_id.*:/.test(path) && !AROUND.includes(name))
  test.each(ofRecord.map(([name]) => name))('is not in %s', (name) => {
    expect(asked!.after[name]).toEqual(asked!.before[name])
  })
})

/** These show or count builds of all kinds; a bisecting build is of its change, a shelf is not. */
const ALL_KINDS: RouteName[] = ['showProject', 'listBuilds', 'searchBuilds', 'showCosts']
const KINDS: Record<string, { build: Fields; shown: RouteName[] }> = {
  preflight: { build: { kind: 'preflight', shelf: '8999' }, shown: ALL_KINDS },
  bisect: { build: { kind: 'bisect' }, shown: [...ALL_KINDS, 'showChange'] },
}

describe.each(Object.entries(KINDS))('a %s', (_, { build, shown }) => {
  let asked: Awaited<ReturnType<typeof around>> | undefined
  beforeAll(async () => {
    asked = await around(() => make(star!, { build_runs: build }, ['build_runs']))
  })
  test.each(inProject.map(([name]) => name))('is not in %s', (name) => {
    if (shown.includes(name)) expect(asked!.after[name]).not.toEqual(asked!.before[name])
    else expect(asked!.after[name]).toEqual(asked!.before[name])
  })
})
