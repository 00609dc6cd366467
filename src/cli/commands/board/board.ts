import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../contract/client.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { isRunning } from '../../../contract/sets.ts'
import { follow } from '../../connection/event-stream.ts'
import type { Call } from '../../program/call.ts'

/** What is going on in a project now. */
export interface Board {
  branches: ReplyOf<'listBranches'>['branches']
  running: ReplyOf<'listBuilds'>['build_runs']
  breakages: ReplyOf<'listBreakages'>['breakages']
}

/** More than a terminal shows. */
const ROWS = 50
/** Events come in bursts: the board is read at most this often. */
const PAUSE_MS = 1_000

export async function loadBoard(client: Client, project: string): Promise<Board> {
  const [branches, builds, breakages] = await Promise.all([
    client.listBranches({ project_id: project, query: { limit: ROWS } }),
    client.listBuilds({ project_id: project, query: { limit: ROWS } }),
    client.listBreakages({ project_id: project, query: { state: 'open,claimed', limit: ROWS } }),
  ])
  return {
    branches: branches.branches,
    running: builds.build_runs.filter(isRunning),
    breakages: breakages.breakages,
  }
}

interface Following {
  show(board: Board): void
  note(text: string): void
  signal?: AbortSignal
}

/** Shows the board now and whenever an event of the project changes it, until it is ended. Nothing is read in between. */
export async function followBoard(call: Pick<Call, 'client' | 'project' | 'site' | 'token'>, { show, note, signal }: Following) {
  const { client, project, site, token } = call
  let [reading, again] = [false, false]
  const read = async () => {
    again = true
    if (reading) return
    reading = true
    try {
      while (again && !signal?.aborted) {
        again = false
        show(await loadBoard(client, project))
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
      }
    } finally {
      reading = false
    }
  }
  const readLater = () => void read().catch((error: Error) => note(error.message))
  await follow({
    site,
    token,
    query: { project_id: project, include: 'all' },
    connected: async () => show(await loadBoard(client, project)),
    event: readLater,
    missed: readLater,
    note,
    ...(signal && { signal }),
  })
}
