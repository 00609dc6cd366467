import { randomOf } from '../../../src/demo/random.ts'
import type { AgentBuild } from '../../../src/domain/agents/compare.ts'

const AGENTS = 11
const JOBS = 4
const FARM_RATE = 0.1
const BUILDS_MAX = 2_000

/** A farm of eleven agents, the first with its own share of failures, judged after each of its builds until it is accused or has 60. */
export function farm(seed: number, rate: number, accused: (builds: readonly AgentBuild[]) => string[]) {
  const random = randomOf(Math.imul(seed, 7919))
  const history: AgentBuild[] = []
  const others = new Set<string>()
  let builds = 0
  while (builds < 60 && history.length < BUILDS_MAX) {
    const agent = `BUILD-${Math.floor(random() * AGENTS)}`
    const group = `job ${Math.floor(random() * JOBS)}`
    const isFirst = agent === 'BUILD-0'
    history.push({ agent, group, failed: random() < (isFirst ? rate : FARM_RATE) })
    if (!isFirst) continue
    builds++
    const names = accused(history)
    for (const name of names) if (rate === FARM_RATE || name !== 'BUILD-0') others.add(name)
    if (rate !== FARM_RATE && names.includes('BUILD-0')) return { builds, others: [...others] }
  }
  return { builds: Number.POSITIVE_INFINITY, others: [...others] }
}
