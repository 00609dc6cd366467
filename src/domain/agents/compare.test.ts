import { describe, expect, test } from 'vitest'
import { farm } from '../../../test/support/studios/simulated-farm.ts'
import { type AgentBuild, compareAgents, isSuspicious } from './compare.ts'

const accused = (builds: readonly AgentBuild[]) =>
  [...compareAgents(builds)].filter(([, comparison]) => isSuspicious(comparison)).map(([agent]) => agent)

const repeat = (count: number, build: AgentBuild) => Array.from({ length: count }, () => build)

test('the probability is that of drawing so many failures by chance', () => {
  // 4 failures among 8 counted builds, all on the agent with 4 of them: 1 way of 70.
  const pass = { group: 'cook', failed: false }
  const builds = ['bad', 'bad', 'bad', 'bad'].flatMap((agent) => [
    { agent, group: 'cook', failed: true },
    { agent: '', ...pass },
    { agent: 'good', ...pass },
  ])
  const compared = compareAgents([{ agent: '', ...pass }, ...builds])
  expect(compared.get('bad')).toMatchObject({ builds: 4, failures: 4, expected_rate: 0 })
  expect(compared.get('bad')!.probability).toBeCloseTo(1 / 70, 10)
  expect(compared.get('good')!.probability).toBeCloseTo(1, 10)
})

describe('an agent is not accused', () => {
  test('because it builds a branch that is already broken', () => {
    const green = repeat(30, { agent: 'other', group: 'cook', failed: false })
    const red = repeat(30, { agent: 'sticky', group: 'cook', failed: true })
    expect(accused([...green, ...red, ...green])).toEqual([])
  })

  test('if no other agent builds its jobs', () => {
    const alone = Array.from({ length: 60 }, (_, at) => ({ agent: 'alone', group: 'ps5', failed: at % 2 === 0 }))
    const others = repeat(60, { agent: 'other', group: 'win64', failed: false })
    expect(accused([...alone, ...others])).toEqual([])
    expect(compareAgents([...alone, ...others]).get('alone')).toBeUndefined()
  })

  test('because its jobs fail more often on every agent', () => {
    const builds = Array.from({ length: 300 }, (_, at) => [
      { agent: at % 5 === 0 ? 'easy-too' : 'hard', group: 'hard', failed: at % 3 === 0 },
      { agent: 'easy', group: 'easy', failed: false },
    ]).flat()
    expect(accused(builds)).toEqual([])
  })
})

describe('in a farm that fails 10 % of its builds', () => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed + 1)

  test('an agent that fails 40 % is found within 60 builds unless its luck hides it, and none of the ten others', () => {
    const found = seeds.map((seed) => farm(seed, 0.4, accused))
    expect(found.filter(({ builds }) => builds <= 60).length).toBeGreaterThanOrEqual(18)
    expect(found.flatMap(({ others }) => others)).toEqual([])
  })

  test('none of eleven equal agents is accused', () => {
    expect(seeds.flatMap((seed) => farm(seed, 0.1, accused).others)).toEqual([])
  })
})
