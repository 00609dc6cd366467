import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAzureDevOps } from '../../../test/support/history/azure-devops.ts'
import { openBitbucket } from '../../../test/support/history/bitbucket.ts'
import { openBuildkite } from '../../../test/support/history/buildkite.ts'
import { openCircleCI } from '../../../test/support/history/circleci.ts'
import { openGitHub } from '../../../test/support/history/github.ts'
import { openGitLab } from '../../../test/support/history/gitlab.ts'
import { openHorde } from '../../../test/support/history/horde.ts'
import { openJenkins } from '../../../test/support/history/jenkins.ts'
import { openPerforce } from '../../../test/support/history/perforce.ts'
import { type HistoryRoom, openHistoryStudio, openRoom, tellAll } from '../../../test/support/history/room.ts'
import { openTeamCity } from '../../../test/support/history/teamcity.ts'
import { daysAgo, fictionalStudio, type Tool, type World } from '../../../test/support/history/world.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { providers } from '../providers/index.ts'
import { startNightlyLooks } from './start-import.ts'

/** A server of each tool that can be asked for the same past as its webhooks tell. */
const TOOLS = {
  GitHub: { open: openGitHub },
  GitLab: { open: openGitLab },
  // More than one page.
  'Azure DevOps': { open: openAzureDevOps, commits: 105 },
  'Perforce, whose trigger sends numbers': { open: (world: World) => openPerforce(world, 'number') },
  'Perforce, whose bridge sends everything': { open: (world: World) => openPerforce(world, 'everything'), commits: 105 },
  'Jenkins, whose pipelines report themselves': { open: (world: World) => openJenkins(world, 'Jenkinsfile') },
  'Jenkins with the Notification plugin': { open: (world: World) => openJenkins(world, 'Notification') },
  'Jenkins with the Generic Event plugin': { open: (world: World) => openJenkins(world, 'Generic Event') },
  Buildkite: { open: openBuildkite },
  TeamCity: { open: openTeamCity },
  Horde: { open: openHorde },
  CircleCI: { open: openCircleCI },
  'Bitbucket Cloud': { open: openBitbucket },
}

/** More than the studio is old. */
const DAYS = 31
let studio: Studio
beforeAll(async () => {
  studio = await openHistoryStudio()
})
afterAll(() => studio.close())

/** A project with a task that commits name. A tool that several projects share tells first which jobs are of this one. */
async function connect(tool: Tool, { builds, tasks }: ReturnType<typeof fictionalStudio>) {
  const room = await openRoom(studio, tool)
  await room.rows(sql`
    insert into tasks (id, account_id, project_id, title) overriding system value
    values (${tasks.shift()!}, ${room.account_id}, ${room.project}, 'Harbor fog')`)
  await room.rows(sql`delete from outbox where project_id = ${room.project}`)
  const { parts } = providers[tool.provider].history!
  if (parts.some(({ ofJobs }) => ofJobs)) {
    await room.build(...builds.slice(0, 2))
    await room.work()
    await room.rows(sql`delete from outbox where project_id = ${room.project}`)
  }
  return room
}

const idsOf = ({ rows, project }: HistoryRoom) =>
  rows(sql`
    select 'change' as kind, id, updated_at from changes where project_id = ${project}
    union all select 'build', id, updated_at from build_runs where project_id = ${project}
    union all select 'deployment', number, updated_at from deployments where project_id = ${project}
    union all select 'reference', id, updated_at from external_references where project_id = ${project} order by 1, 2`)

describe.each(Object.entries(TOOLS))('%s', (_, { open, ...size }) => {
  const world = fictionalStudio({ ...size, tasks: 3 })

  test('tells the same by webhooks and by an import, in either order, half and half, and with lost webhooks', async () => {
    const tool: Tool = await open(world)
    try {
      const told = await connect(tool, world)
      await tellAll(told, tool, world)
      const expected = await told.world()
      const identifierOf = tool.identifierOf ?? (({ sha }) => sha)
      if (tool.pushed) expect(expected.line).toEqual(world.commits.map(identifierOf))
      const [deployed, released] = [tool.deployed ? world.deployments : [], tool.released ? world.releases : []]
      expect(expected.deployments).toHaveLength(deployed.length + released.length)
      expect(expected.references).toHaveLength((tool.filed ? world.issues.length : 0) + (tool.more?.length ?? 0))
      const namedIn = tool.pushed ? [world.commits[4]!, world.commits[7]!].map(identifierOf).toSorted() : []
      expect(expected.links.filter(({ kind }) => kind === 'change').map(({ name }) => name)).toEqual(namedIn)
      expect(expected.builds).toHaveLength(tool.built ? world.builds.length : 0)

      const imported = await connect(tool, world)
      const noise = await imported.noise()
      expect(await imported.import(DAYS)).toMatchObject({ state: 'done' })
      expect(await imported.world()).toEqual(expected)
      expect(await imported.noise()).toEqual(noise)
      // A second import changes nothing.
      const before = await idsOf(imported)
      await imported.import(DAYS)
      expect(await idsOf(imported)).toEqual(before)
      // Webhooks that come afterwards tell nothing new.
      await tellAll(imported, tool, world)
      expect(await imported.world()).toEqual(expected)

      await told.import(DAYS)
      expect(await told.world()).toEqual(expected)

      // Every second push of the second half got lost, and every second build.
      const half = await connect(tool, world)
      if (tool.pushed) for (let at = 10; at < world.commits.length; at += 10) await half.push(world.commits.slice(at, at + 5))
      await half.build(...world.builds.filter((_, at) => at % 2 === 0))
      await half.deploy(...world.deployments.slice(0, 1))
      await half.release(...world.releases.slice(0, 1))
      if (tool.filed) await half.tell(tool.filed(world.issues[1]!))
      await half.import(DAYS)
      expect(await half.world()).toEqual(expected)
    } finally {
      await tool.close()
    }
  })
})

test('a nightly check pays only for what has changed since the night before', async () => {
  const small = fictionalStudio()
  const tool = await openGitHub(small)
  const { id, account_id, rows, world, app, import: load } = await openRoom(studio, tool)
  const night = async () => {
    await studio.db.execute(sql`update integrations set active = id = ${id}`)
    tool.calls.length = tool.unchanged!.length = 0
    const before = tool.state.remaining
    await startNightlyLooks(studio.db)
    await workOffAll(studio, account_id)
    await studio.db.execute(sql`update integrations set active = true`)
    return before - tool.state.remaining
  }
  small.releases[0]!.at = daysAgo(1)
  small.deployments[2]!.at = daysAgo(1)
  const first = await night()
  expect(first).toBe(tool.calls.length)
  const told = await world()
  expect(told.deployments).toMatchObject([
    { external_key: expect.stringMatching(/^deployment:302\n/) },
    { external_key: expect.stringMatching(/^release:v1.0\n/) },
  ])
  // The repository, its commits, and the list of deployments are asked for again: the latter may hide a new status.
  expect(await night()).toBe(3)
  expect(tool.unchanged!.map((path) => path.replace(/created=[\d-]+/, 'created=DAY').replace('/repos/owl/star', ''))).toEqual([
    ...Array.from({ length: 4 }, () => '/actions/runs?created=DAY&per_page=100&page=1'),
    '/deployments/302/statuses?per_page=100',
    '/releases?per_page=100&page=1',
  ])
  expect(await world()).toEqual(told)
  // A new build of a day that was read, and a new release.
  small.builds.push({ ...small.builds[0]!, id: 7000, number: 70, started: daysAgo(2), finished: daysAgo(2, 20) })
  small.releases[1]!.at = daysAgo(0, -30)
  expect(await night()).toBe(5)
  const found = await world()
  expect([found.builds.length, found.deployments.length]).toEqual([told.builds.length + 1, 3])
  // After an undo it asks for everything; an import by hand always does.
  tool.unchanged!.length = 0
  const [{ id: newest }] = (await rows(sql`select max(id) as id from imports where integration_id = ${id}`)) as [{ id: number }]
  await app(`/imports/${newest}/undo`, { method: 'POST' })
  await workOffAll(studio, account_id)
  expect((await world()).deployments).toHaveLength(2)
  await night()
  expect(tool.unchanged).toEqual([])
  expect(await world()).toEqual(found)
  await load(3)
  expect(tool.unchanged).toEqual([])
  tool.close()
})
