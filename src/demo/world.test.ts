import { describe, expect, test } from 'vitest'
import * as sets from '../contract/sets.ts'
import { diagnose } from '../diagnosis/diagnose.ts'
import { compareAgents, isSuspicious } from '../domain/agents/compare.ts'
import { SHOWCASE, STUDIO } from './accounts.ts'
import { cinderCoast } from './cinder-coast/game.ts'
import { MAIN, RELEASE } from './cinder-coast/streams.ts'
import { marblePost } from './marble-post/game.ts'
import { orchardParade } from './orchard-parade/game.ts'
import { DOMAIN } from './people.ts'
import { demoWorld } from './world.ts'

type World = ReturnType<typeof demoWorld>

const NOWS = ['2026-11-16T09:30:00Z', '2026-11-15T02:05:00Z', '2027-01-01T00:00:30Z', '2026-06-20T23:59:59.999Z']
const games = [cinderCoast, orchardParade, marblePost]

/** The writable account; the showcase repeats one of its projects. */
const ofStudio = (world: World) => {
  const keys = world.projects.filter(({ account }) => account === STUDIO).map(({ key }) => key)
  const own = <T extends { project: string }>(list: T[]) => list.filter(({ project }) => keys.includes(project))
  const assets = own(world.assets)
  return {
    changes: own(world.changes),
    builds: own(world.build_runs),
    assets,
    approvals: assets.flatMap((asset) => asset.approvals),
    deployments: own(world.deployments),
    tasks: own(world.tasks),
    comments: own(world.comments),
  }
}

function* timesIn(value: unknown): Generator<number> {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) yield Date.parse(value)
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* timesIn(inner)
}

const seen = (values: Iterable<string>) => [...new Set(values)].sort()
const all = (set: readonly string[]) => [...set].sort()

/** A game has one CI and one code host: others than those of the demo's games. */
const ALTERNATIVES = [
  'teamcity',
  'horde',
  'gitlab',
  'azure_devops',
  'gitea',
  'bitbucket',
  'circleci',
  'plastic',
  'subversion',
  'clickup',
  'youtrack',
  'shortcut',
] as const

describe.each(NOWS)('the demo studio at %s', (text) => {
  const now = new Date(text)
  const world = demoWorld(now)
  const studio = ofStudio(world)

  test('is the same every time for the same moment', () => {
    expect(JSON.stringify(demoWorld(now))).toBe(JSON.stringify(world))
  })

  test('covers about six weeks up to a few minutes ago, never the future', () => {
    // A quarantine ends in the future.
    const { test_results: _, ...past } = world
    const times = [...timesIn(past)]
    expect(Math.max(...times)).toBeLessThanOrEqual(now.getTime())
    expect(Math.min(...times)).toBeGreaterThan(now.getTime() - 50 * 86_400_000)
    const newest = (list: { created_at: string }[]) => Math.max(...list.map(({ created_at }) => Date.parse(created_at)))
    for (const list of [studio.changes, studio.builds, studio.deployments])
      expect(now.getTime() - newest(list)).toBeLessThan(20 * 60_000)
  })

  test('has enough records of every kind', () => {
    expect(studio.changes.length).toBeGreaterThan(400)
    expect(studio.builds.length).toBeGreaterThan(230)
    expect(studio.deployments.length).toBeGreaterThan(22)
    expect(studio.tasks.length).toBeGreaterThan(60)
    const actors = studio.assets.filter(({ path }) => path.includes('__ExternalActors__'))
    expect(actors).toHaveLength(24)
    expect(studio.approvals.filter(({ status }) => status === 'pending')).toHaveLength(12 + actors.length)
    const failed = studio.builds.filter(({ status }) => status === 'failed').length
    expect(failed / studio.builds.length).toBeGreaterThan(0.1)
    expect(failed / studio.builds.length).toBeLessThan(0.2)
  })

  test('has a conversation on a denied asset and on a task', () => {
    for (const { key } of games) {
      const comments = world.comments.filter(({ project }) => project === key) as { asset?: string; task?: string }[]
      expect(
        comments.some(({ task }) => task),
        key,
      ).toBe(true)
    }
    expect(world.comments.some((comment) => 'asset' in comment)).toBe(true)
  })

  test('shows every value of every closed set', () => {
    expect(seen(studio.builds.map((build) => build.status))).toEqual(all(sets.BUILD_STATUSES))
    expect(seen(studio.builds.map((build) => build.build_type))).toEqual(all(sets.BUILD_TYPES))
    expect(seen(studio.builds.map((build) => build.target_type))).toEqual(all(sets.TARGET_TYPES))
    expect(seen(studio.assets.map((asset) => asset.asset_type))).toEqual(all(sets.ASSET_TYPES))
    expect(seen(studio.approvals.map((approval) => approval.status))).toEqual(all(sets.APPROVAL_STATUSES))
    expect(seen(studio.changes.map((change) => change.source_type))).toEqual(all(sets.SOURCE_TYPES))
    expect(seen(studio.deployments.map((deployment) => deployment.platform))).toEqual(all(sets.PLATFORMS))
    expect(seen(studio.deployments.map((deployment) => deployment.status))).toEqual(all(sets.DEPLOYMENT_STATUSES))
    expect(seen(studio.tasks.map((task) => task.state))).toEqual(all(sets.TASK_STATES))
    expect(seen(studio.tasks.map((task) => task.task_type))).toEqual(all(sets.TASK_TYPES))
    expect(seen(studio.tasks.map((task) => task.priority))).toEqual(all(sets.PRIORITIES))
    expect(seen([...world.integrations.map(({ provider }) => provider), ...ALTERNATIVES])).toEqual(all(sets.PROVIDERS))
  })

  test('fixes every failed build with a later change, and builds that', () => {
    const submitted = studio.builds.filter(({ key }) => key.includes('-build-'))
    for (const build of submitted.filter(({ status }) => status === 'failed')) {
      const game = games.find(({ key }) => key === build.project)!
      const fixes = game.incidents.filter(({ job }) => job === build.ci_job_name).map(({ fix }) => fix.text)
      const later = studio.changes.filter((change) => change.project === game.key && change.timestamp > build.created_at)
      const mending = later.find(({ description }) => fixes.includes(description))
      expect(mending, build.key).toBeDefined()
      expect(studio.builds.some((next) => (next.changelist || next.commit_hash) === mending!.identifier)).toBe(true)
    }
  })

  test('has a release stream that branched off main and gets merges and its own fixes', () => {
    const cinder = studio.changes.filter(({ project }) => project === cinderCoast.key)
    const on = (name: string) => cinder.filter(({ branches }) => branches.join() === name)
    const [main, release] = [on(MAIN), on(RELEASE)]
    expect(main.length + release.length).toBe(cinder.length)
    expect(main.length).toBeGreaterThan(150)
    const merges = release.filter(({ description }) => description.startsWith('Merge CL '))
    expect(merges.length).toBeGreaterThan(10)
    const ofMain = new Set(main.map(({ identifier }) => identifier))
    for (const { description } of merges)
      for (const [, source] of description.matchAll(/CL (\d+)/g)) expect(ofMain).toContain(source)
    const fixes = cinderCoast.incidents.filter(({ job }) => job === 'cinder-nightly-shipping').map(({ fix }) => fix.text)
    const others = release.filter((change) => !merges.includes(change))
    expect(others.map(({ description }) => description).sort()).toEqual(fixes.sort())
    for (const { branches, files } of cinder)
      expect(files!.map(({ path }) => path).filter((path) => !path.startsWith(`${branches[0]}/`))).toEqual([])
  })

  test('promotes a beta: the same build on two tracks of one store', () => {
    const [beta, promoted] = studio.deployments.filter(({ platform, version }) => platform === 'steam' && version === '0.9.3')
    expect([beta!.track, promoted!.track]).toEqual(['beta', 'default'])
    expect(promoted!.build_run).toBe(beta!.build_run)
    expect(beta!.created_at < promoted!.created_at).toBe(true)
    // A store with tracks has no deployment without one.
    expect(studio.deployments.filter(({ platform, track }) => platform === 'steam' && track === undefined)).toEqual([])
  })

  test('is quieter at weekends', () => {
    const weekend = studio.changes.filter(({ timestamp }) => new Date(timestamp).getUTCDay() % 6 === 0).length
    expect(weekend / studio.changes.length).toBeLessThan(0.15)
  })
})

test('one account is read-only, and everybody is in both', () => {
  const world = demoWorld(new Date(NOWS[0]!))
  expect(world.accounts.filter(({ demo }) => demo).map(({ key }) => key)).toEqual([SHOWCASE])
  expect(world.users.every(({ accounts }) => STUDIO in accounts && SHOWCASE in accounts)).toBe(true)
})

const COMPANIES =
  /\b(Epic Games|Valve|Microsoft|Nintendo|Sony|Ubisoft|Electronic Arts|Rockstar|Activision|Blizzard|Supercell|Unity Technologies)\b/

test('addresses and links are not real, and no company is named', () => {
  const text = JSON.stringify(demoWorld(new Date(NOWS[0]!)))
  const hosts = [...text.matchAll(/(?:https?:\/\/|[\w.-]+@)((?:[\w-]+\.)+[a-z]{2,})\b/g)].map(([, host]) => host!)
  expect(text).not.toMatch(COMPANIES)
  expect(hosts.length).toBeGreaterThan(100)
  expect(seen(hosts.filter((host) => !host.endsWith(DOMAIN)))).toEqual(['help.gradle.org'])
})

/** Unreal's own test reports are the only kind of log that no rule reads. */
const incidents = games.flatMap((game) => game.incidents).filter(({ key }) => key !== 'parry-test')

test.each(incidents)('the log of $key is diagnosed as $category', ({ log, category }) => {
  expect(diagnose(log).category).toBe(category)
})

test.each(NOWS)('at %s each job has counted its builds in the order in which they were queued', (now) => {
  const { build_runs } = demoWorld(new Date(now))
  const jobOf = ({ project, ci_job_name }: (typeof build_runs)[number]) => `${project} ${ci_job_name}`
  const jobs = new Set(build_runs.map(jobOf))
  expect(jobs.size).toBeGreaterThan(5)
  for (const job of jobs) {
    const numbers = build_runs
      .filter((build) => jobOf(build) === job)
      .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
      .map(({ build_number }) => Number(build_number))
    expect(numbers, job).toEqual(numbers.map((_, at) => numbers[0]! + at))
  }
})

test('its bad agent is suspicious at every hour, and no other one is', () => {
  for (let hour = 0; hour < 48; hour += 3) {
    const now = new Date(Date.UTC(2026, 10, 14, hour, 17))
    const own = demoWorld(now).build_runs.filter(
      ({ project, created_at }) => project === cinderCoast.key && Date.parse(created_at) > now.getTime() - 30 * 86_400_000,
    )
    const builds = own
      .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
      .flatMap((build) => {
        const { agent = '', ci_job_name, branch, status, kind } = build as typeof build & { agent?: string; kind?: string | null }
        const isCompared = !kind && ['failed', 'completed', 'passed_pending_approval'].includes(status)
        return isCompared ? [{ agent, group: `${ci_job_name} ${branch}`, failed: status === 'failed' }] : []
      })
    const suspicious = [...compareAgents(builds)].flatMap(([agent, found]) => (isSuspicious(found) ? [agent] : []))
    expect(suspicious, now.toISOString()).toEqual(['BUILD-07'])
  }
})

test('a test that was broken for a while has one outcome per change, at every hour', () => {
  for (let hour = 0; hour < 48; hour += 3) {
    const now = new Date(Date.UTC(2026, 10, 14, hour, 17))
    const { build_runs, test_results } = demoWorld(now)
    const changeOf = new Map(build_runs.map((build) => [build.key, build.changelist]))
    const outcomes = new Map<string | undefined, Set<string>>()
    for (const { build_run, cases } of test_results)
      for (const { name, outcome } of cases)
        if (name === 'Boss enters phase two') {
          const change = changeOf.get(build_run)
          outcomes.set(change, (outcomes.get(change) ?? new Set()).add(outcome))
        }
    const all = [...outcomes.values()]
    expect(all.flatMap((each) => [...each])).toContain('failed')
    expect(
      all.filter((each) => each.size > 1),
      now.toISOString(),
    ).toEqual([])
  }
})
