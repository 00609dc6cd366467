import { afterAll, beforeAll, expect, test } from 'vitest'
import { verdictOf } from '../../src/domain/investigations/preflight-verdict.ts'
import type { Studio } from '../support/studio.ts'
import { branchRoom, openBranchStudio } from '../support/studios/branch-room.ts'

/**
 * Random pull requests against what is true: a verdict may be unknown, but never wrong. Each seed is a branch with breaks, fixes and changes that
 * nobody built, and pull requests on its moving head, built once or twice. VERDICT_SEEDS=1-100 tries more; each seed has ten pull requests.
 */
const [first, last = first] = (process.env.VERDICT_SEEDS ?? '1-12').split('-').map(Number) as [number, number?]
const PULLS = 10
const UNKNOWN_MAX = 0.25

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

/** Mulberry32. */
function randomOf(seed: number) {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Truth = 'passed' | 'failed_by_change' | 'failed_not_by_change'
interface Tried {
  name: string
  truth: Truth
  verdict: string
  reason: string
}

const OUT_OF_MEMORY = (file: string) =>
  `$ make\nsrc/${file}.c:54:3: fatal error: out of memory\nc++: fatal error: Killed signal terminated program cc1plus\n`

async function tryWorld(seed: number): Promise<Tried[]> {
  const { push, report, work, owner } = await branchRoom(studio)
  const random = randomOf(seed)
  const chance = (share: number) => random() < share
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
  let [number, made] = [0, 0]
  const head = { commit: '', broken: [] as string[] }
  const advance = async (name: string, build = chance(0.85)) => {
    await push('main', [name], head.commit === '' ? {} : { before: head.commit })
    head.commit = name
    if (build) await buildMain()
  }
  const buildMain = () =>
    report({ number: ++number, branch: 'main', commit: head.commit, ...(head.broken[0] && { broken: head.broken[0] }) })
  /** Somebody else's change: it breaks its own file, mends one, or neither. */
  const moveMain = async () => {
    const name = `s${seed}c${++made}`
    if (head.broken.length > 0 && chance(0.4)) head.broken.shift()
    else if (chance(0.2)) head.broken.unshift(name)
    await advance(name)
  }
  await advance(`s${seed}c0`, true)
  const tried: { name: string; id: number; truth: Truth }[] = []
  for (let pull = 1; pull <= PULLS; pull++) {
    if (chance(0.6)) await moveMain()
    const commit = `s${seed}f${pull}`
    await push(`feature${pull}`, [commit])
    /** What the change breaks: its own file, another one, or nothing; what is broken on the base comes first. */
    const own = pick([null, null, commit, commit, `s${seed}elsewhere${pull}`])
    const about = { branch: `feature${pull}`, commit, pull_request: pull, target_branch: 'main' }
    const preflight = async (breaks: string | null) => {
      const [start, isMemory, moves] = [++number, chance(0.08), chance(0.12)]
      const base = head.broken[0] ?? null
      await report({ number: start, status: 'running', ...about })
      if (moves) await moveMain()
      const broken = base ?? breaks
      const truth = isMemory
        ? 'failed_not_by_change'
        : broken === null
          ? 'passed'
          : base === null
            ? 'failed_by_change'
            : 'failed_not_by_change'
      const result = isMemory ? { status: 'failed', log: OUT_OF_MEMORY(commit) } : broken === null ? {} : { broken }
      const id = await report({ number: start, ...about, ...result })
      tried.push({ name: `${seed}/${pull} ${truth}`, id, truth: truth as Truth })
    }
    // Its own file breaks only with a base that moved: the first build passes.
    const isLate = own === commit && chance(0.3)
    await preflight(isLate ? null : own)
    if (isLate) {
      await moveMain()
      await preflight(own)
    }
    await work()
    // Merged all the same.
    if (chance(0.35)) {
      if (own !== null) head.broken.push(own)
      await advance(`s${seed}m${pull}`)
      await work()
    }
  }
  await work()
  const answers: Tried[] = []
  for (const { name, id, truth } of tried) answers.push({ name, truth, ...(await verdictOf(studio.db, owner, id))! })
  return answers
}

test('no verdict of a random pull request is wrong, and few are unknown', { timeout: 3_600_000 }, async () => {
  const tried: Tried[] = []
  for (let seed = first; seed <= last; seed++) tried.push(...(await tryWorld(seed)))
  const isUnknown = ({ verdict }: Tried) => verdict === 'unknown'
  expect(tried.filter((one) => !isUnknown(one) && one.verdict !== one.truth)).toEqual([])
  const unknown = tried.filter(isUnknown)
  console.info(`${tried.length} builds of pull requests, ${unknown.length} unknown`)
  expect(unknown.length / tried.length, JSON.stringify(unknown, null, 1)).toBeLessThanOrEqual(UNKNOWN_MAX)
  // All kinds of truth were tried.
  expect(new Set(tried.map(({ truth }) => truth)).size).toBe(3)
})
