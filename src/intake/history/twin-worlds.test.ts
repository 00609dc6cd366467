import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAzureDevOps } from '../../../test/support/history/azure-devops.ts'
import { openGitHub } from '../../../test/support/history/github.ts'
import { openGitLab } from '../../../test/support/history/gitlab.ts'
import { openHorde } from '../../../test/support/history/horde.ts'
import { openPerforce } from '../../../test/support/history/perforce.ts'
import { type HistoryRoom, openHistoryStudio, openRoom, tellAll } from '../../../test/support/history/room.ts'
import { openTeamCity } from '../../../test/support/history/teamcity.ts'
import { fictionalStudio, type Tool, type World } from '../../../test/support/history/world.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { providers } from '../providers/index.ts'

/** A server of each tool that can be asked for the same past as its webhooks tell. */
const TOOLS = {
  GitHub: { open: openGitHub },
  GitLab: { open: openGitLab },
  // More than one page.
  'Azure DevOps': { open: openAzureDevOps, commits: 105 },
  'Perforce, whose trigger sends numbers': { open: (world: World) => openPerforce(world, 'number') },
  'Perforce, whose bridge sends everything': { open: (world: World) => openPerforce(world, 'everything'), commits: 105 },
  TeamCity: { open: openTeamCity },
  Horde: { open: openHorde },
}

/** More than the studio is old. */
const DAYS = 31
let studio: Studio
beforeAll(async () => {
  studio = await openHistoryStudio()
})
afterAll(() => studio.close())

/** A tool that several projects share tells first which jobs are of this one. */
async function connect(tool: Tool, { builds }: World) {
  const room = await openRoom(studio, tool)
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
  const world = fictionalStudio(size)

  test('tells the same by webhooks and by an import, in either order, half and half, and with lost webhooks', async () => {
    const tool: Tool = await open(world)
    try {
      const told = await connect(tool, world)
      await tellAll(told, tool, world)
      const expected = await told.world()
      const identifierOf = tool.identifierOf ?? (({ sha }) => sha)
      if (tool.pushed) expect(expected.line).toEqual(world.commits.map(identifierOf))
      expect(expected.deployments).toHaveLength(tool.deployed ? world.deployments.length : 0)
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
      await half.import(DAYS)
      expect(await half.world()).toEqual(expected)
    } finally {
      await tool.close()
    }
  })
})
