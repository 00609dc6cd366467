import { compareAgents, isSuspicious } from '../../src/domain/agents/compare.ts'
import { farm } from '../../test/support/studios/simulated-farm.ts'
import { printTable } from '../harness/table.ts'

const FARMS = 200

/** How soon a bad agent is found in a simulated farm of eleven that fails 10 %, and how many good ones are accused. */
export async function benchAgents() {
  const accused = (builds: Parameters<typeof compareAgents>[0]) =>
    [...compareAgents(builds)].filter(([, comparison]) => isSuspicious(comparison)).map(([agent]) => agent)
  const rows = [0.1, 0.2, 0.3, 0.4, 0.6].map((rate) => {
    const farms = Array.from({ length: FARMS }, (_, seed) => farm(seed + 1, rate, accused))
    const needed = farms.map(({ builds }) => builds).sort((a, b) => a - b)
    const found = needed.filter((builds) => builds <= 60)
    return [
      `${Math.round(100 * rate)} %`,
      rate === 0.1 ? '' : `${Math.round((100 * found.length) / FARMS)} %`,
      found.length > FARMS / 2 ? String(needed[FARMS / 2]) : '',
      String(farms.flatMap(({ others }) => others).length),
    ]
  })
  printTable(
    `Agents: ${FARMS} simulated farms each`,
    ['the agent fails', 'found within 60 builds', 'median builds', 'good agents accused'],
    rows,
  )
}
