import { openStub } from './stub.ts'
import type { Build, Tool, World } from './world.ts'

/**
 * Horde's REST API of jobs: lists by stream from a time on, with the fields of the filter only; a job with its steps on its own, and the
 * names of its steps in its graph.
 */
export async function openHorde({ builds }: World): Promise<Tool> {
  const { url, ...stub } = await openStub({
    isAllowed: ({ authorization }) => authorization === 'Bearer secret',
    answer(path, query) {
      if (path === '/api/v1/jobs') {
        const [index, count] = [Number(query.get('index')), Number(query.get('count'))]
        const found = builds
          .toReversed()
          .filter((build) => streamOf(build) === query.get('streamId') && build.started >= query.get('minCreateTime')!)
        return { body: found.slice(index, index + count).map(({ id }) => ({ id: idOf(id) })) }
      }
      const [, id, graph] = /^\/api\/v1\/jobs\/(\w+)(\/graph)?$/.exec(path) ?? []
      const build = builds.find((one) => idOf(one.id) === id)
      if (build) return { body: graph ? GRAPH : jobOf(build) }
      if (path === '/api/v1/logs/log1/data') return 'boom\n'
      return undefined
    },
  })
  return {
    ...stub,
    provider: 'horde',
    config: { server: url, api_token: 'secret', horde_streams: 'game-main=//Game/Main, game-rel=//Game/Release' },
    // As a script sends it, which has read the graph.
    built: (build) => ({ body: jobOf(build, NAMES) }),
  }
}

const NAMES = ['Compile', 'Cook']
const GRAPH = { groups: [{ nodes: NAMES.map((name) => ({ name })) }] }

const idOf = (id: number) => `5f${id}`
const streamOf = ({ job }: Build) => (job === 'Game' ? 'game-main' : 'game-rel')

const jobOf = (build: Build, names: string[] = []) => ({
  id: idOf(build.id),
  streamId: streamOf(build),
  name: build.job,
  templateId: build.job,
  graphHash: 'g1',
  change: 1000 + build.number,
  ...(build.pull !== undefined && { preflightChange: 2000 }),
  createTime: build.started,
  updateTime: build.finished,
  state: 'Complete',
  batches: [
    {
      id: 'b1',
      groupIdx: 0,
      agentId: 'WIN-1',
      steps: NAMES.map((_, nodeIdx) => ({
        id: `s${nodeIdx}`,
        nodeIdx,
        ...(names[nodeIdx] && { name: names[nodeIdx] }),
        state: 'Completed',
        outcome: build.failed && nodeIdx === 1 ? 'Failure' : 'Success',
        logId: `log${nodeIdx}`,
        startTime: build.started,
        finishTime: build.finished,
      })),
    },
  ],
})
