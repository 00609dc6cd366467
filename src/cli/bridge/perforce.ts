import { PEOPLE_LIST_MAX } from '../../contract/limits.ts'
import type { Bridge } from './bridge.ts'
import { BridgeRefused } from './post.ts'
import { jsonLines } from './run-tool.ts'
import { readState, writeState } from './state.ts'

/** Numbers are assigned before a submit is done: one may show up after its successor. It is searched this far back. */
const LOOK_BACK = 200
/** More would make the request too large. */
const FILES_MAX = 100_000
const DAY_MS = 86_400_000

interface State {
  /** Where it started: nothing up to here is ever reported. */
  floor: number
  newest: number
  /** Those of the last few that are reported. */
  told: number[]
  /** When the users of the server were sent, in milliseconds. */
  people?: number
}

type Printed = Record<string, unknown>

/** Reports every changelist submitted since the last poll, oldest first, and stores the progress after each. */
export async function bridgePerforce(bridge: Bridge, { path, people }: { path?: string; people: boolean }): Promise<void> {
  let state = readState<State>(bridge.state) ?? (await begin(bridge, path))
  if (people) state = await tellPeople(bridge, state)
  const from = Math.max(state.floor + 1, state.newest - LOOK_BACK)
  const submitted = await numbers(bridge, ['-e', String(from)], path)
  for (const number of submitted.filter((one) => one >= from && !state.told.includes(one)).sort((a, b) => a - b)) {
    await tell(bridge, await describe(bridge, number))
    const newest = Math.max(state.newest, number)
    state = { ...state, newest, told: [...state.told, number].filter((one) => one >= newest - LOOK_BACK) }
    writeState(bridge.state, state)
    bridge.say(`Reported changelist ${number}`)
  }
}

/** Once a day. A server that does not list its users, or an older service, costs no changelist. */
async function tellPeople(bridge: Bridge, state: State): Promise<State> {
  if (Date.now() - (state.people ?? 0) < DAY_MS) return state
  try {
    const list = await users(bridge)
    if (list !== '') await bridge.tellPeople(list)
  } catch (error) {
    if (bridge.signal.aborted) throw error
    bridge.say(`Couldn't send the users of the server: ${(error as Error).message}`)
  }
  const told = { ...state, people: Date.now() }
  writeState(bridge.state, told)
  return told
}

async function users({ tool, signal }: Bridge): Promise<string> {
  let list = ''
  for await (const record of jsonLines(tool, ['-Mj', '-ztag', 'users'], signal)) {
    const one = `... User ${fieldOf(record, 'User')}\n... Email ${record.Email ?? ''}\n... FullName ${record.FullName ?? ''}\n`
    if (list.length + one.length > PEOPLE_LIST_MAX) break
    list += one
  }
  return list
}

/** Existing changelists are skipped, unless a start is given. */
async function begin(bridge: Bridge, path: string | undefined): Promise<State> {
  const told = bridge.since === undefined ? await numbers(bridge, ['-m', String(LOOK_BACK)], path) : []
  const newest = bridge.since ?? Math.max(0, ...told)
  const state = { floor: bridge.since ?? Math.max(0, newest - LOOK_BACK - 1), newest, told }
  writeState(bridge.state, state)
  bridge.say(`Starting after changelist ${newest}`)
  return state
}

/** A change that is too large is reported without its files. */
const tell = (bridge: Bridge, change: ChangelistPayload): Promise<void> =>
  bridge.tell(change).catch((error: unknown) => {
    if (!(error instanceof BridgeRefused) || error.status !== 413) throw error
    const { files: _, ...rest } = change
    return bridge.tell(rest)
  })

interface ChangelistPayload {
  changelist: number
  user: unknown
  description: unknown
  timestamp?: string
  files: object[]
}

async function numbers({ tool, signal }: Bridge, range: string[], path: string | undefined): Promise<number[]> {
  const found: number[] = []
  const args = ['-Mj', '-ztag', 'changes', '-s', 'submitted', ...range, ...(path ? [path] : [])]
  for await (const record of jsonLines(tool, args, signal)) found.push(Number(fieldOf(record, 'change')))
  return found
}

async function describe({ tool, signal }: Bridge, number: number): Promise<ChangelistPayload> {
  for await (const record of jsonLines(tool, ['-Mj', '-ztag', 'describe', '-s', String(number)], signal)) {
    if (fieldOf(record, 'change') !== String(number)) continue
    const seconds = Number(record.time)
    return {
      changelist: number,
      user: record.user,
      description: record.desc,
      files: filesOf(record),
      ...(seconds > 0 && { timestamp: new Date(seconds * 1000).toISOString() }),
    }
  }
  throw new Error(`p4 describe returned no changelist ${number}`)
}

/** Server errors are normal output lines; p4 still exits with 0. */
function fieldOf(record: Printed, field: string): string {
  const value = record[field]
  if (typeof value !== 'string') throw new Error(`p4 says: ${String(record.data ?? JSON.stringify(record)).trim()}`)
  return value
}

function filesOf(record: Printed): object[] {
  const files: object[] = []
  for (let index = 0; index < FILES_MAX; index++) {
    const path = record[`depotFile${index}`]
    if (path === undefined) break
    const size = Number(record[`fileSize${index}`])
    files.push({ path, action: record[`action${index}`], ...(Number.isSafeInteger(size) && { size }) })
  }
  return files
}
