/** A finished build of a job, in the order of the job. */
export interface AgentBuild {
  agent: string
  /** Builds of different groups are not compared: job, with its platform and configuration, and branch. */
  group: string
  failed: boolean
}

export interface Comparison {
  /** Builds of jobs that other agents build too, each started while its job was passing. */
  builds: number
  failures: number
  /** The share of failures on other agents, weighted by the builds that this agent has of each job. */
  expected_rate: number
  /** How likely as many failures are if the agent does not matter. */
  probability: number
}

/**
 * Compares each agent with the others on the same jobs. A build counts only if the one before it passed: the further failures of a broken
 * branch say nothing about the agents that build it. Given how many builds of a job failed, chance decides how many of them ran on one
 * agent (hypergeometric); the sum over the jobs is an exact stratified test.
 */
export function compareAgents(builds: Iterable<AgentBuild>): Map<string, Comparison> {
  const groups = new Map<string, Map<string, Count>>()
  const passing = new Map<string, boolean>()
  for (const { agent, group, failed } of builds) {
    const isCounted = passing.get(group) === true
    passing.set(group, !failed)
    if (!isCounted || agent === '') continue
    const counts = groups.get(group) ?? new Map<string, Count>()
    groups.set(group, counts)
    const { builds: before, failures } = counts.get(agent) ?? { builds: 0, failures: 0 }
    counts.set(agent, { builds: before + 1, failures: failures + (failed ? 1 : 0) })
  }
  const agents = new Map<string, Stratum[]>()
  for (const counts of groups.values()) {
    const all = sumOf([...counts.values()])
    for (const [agent, own] of counts)
      if (own.builds < all.builds) agents.set(agent, [...(agents.get(agent) ?? []), { own, all }])
  }
  return new Map([...agents].map(([agent, strata]) => [agent, comparisonOf(strata)]))
}

interface Count {
  builds: number
  failures: number
}

interface Stratum {
  own: Count
  all: Count
}

const sumOf = (counts: readonly Count[]): Count => ({
  builds: counts.reduce((sum, { builds }) => sum + builds, 0),
  failures: counts.reduce((sum, { failures }) => sum + failures, 0),
})

function comparisonOf(strata: readonly Stratum[]): Comparison {
  const own = sumOf(strata.map((stratum) => stratum.own))
  const expected = strata.reduce((sum, { own, all }) => {
    const others = { builds: all.builds - own.builds, failures: all.failures - own.failures }
    return sum + (own.builds * others.failures) / others.builds
  }, 0)
  return { ...own, expected_rate: expected / own.builds, probability: tailOf(strata, own.failures) }
}

/** The probability of at least so many failures on the agent, over all jobs. */
function tailOf(strata: readonly Stratum[], failures: number): number {
  let total = [1]
  for (const { own, all } of strata) if (all.failures > 0) total = convolved(total, hypergeometric(all, own.builds))
  let tail = 0
  for (let count = total.length - 1; count >= failures; count--) tail += total[count]!
  return Math.min(1, tail)
}

/** How many of the failures fall on `drawn` of all builds: the probability of each number. */
function hypergeometric({ builds, failures }: Count, drawn: number): number[] {
  const ways = logChoose(builds, drawn)
  return Array.from({ length: Math.min(failures, drawn) + 1 }, (_, count) =>
    drawn - count > builds - failures
      ? 0
      : Math.exp(logChoose(failures, count) + logChoose(builds - failures, drawn - count) - ways),
  )
}

function convolved(one: readonly number[], other: readonly number[]): number[] {
  const sum = new Array<number>(one.length + other.length - 1).fill(0)
  for (const [i, a] of one.entries()) for (const [j, b] of other.entries()) sum[i + j]! += a * b
  return sum
}

const LOG_FACTORIALS = [0]
function logFactorial(n: number): number {
  for (let next = LOG_FACTORIALS.length; next <= n; next++) LOG_FACTORIALS.push(LOG_FACTORIALS[next - 1]! + Math.log(next))
  return LOG_FACTORIALS[n]!
}
const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

/**
 * An agent is tested after each of its builds and a farm has many agents: chance must be this unlikely. `npm run bench -- agents`: of 200
 * farms, 98 % find an agent that fails 40 % instead of 10 % within 60 of its builds, and 0.2 % of equal agents are accused.
 */
const PROBABILITY_MAX = 0.0005
/** Fewer failures can be a coincidence of a bad day. */
const FAILURES_MIN = 5
/** A smaller difference is no reason to take a machine out of the farm. */
const DIFFERENCE_MIN = 0.1

/** Whether the failures of an agent are evidence against the machine. */
export const isSuspicious = ({ builds, failures, expected_rate, probability }: Comparison): boolean =>
  failures >= FAILURES_MIN && failures / builds - expected_rate >= DIFFERENCE_MIN && probability <= PROBABILITY_MAX
