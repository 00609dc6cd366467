import { randomOf } from '../../../src/demo/random.ts'

/** A test that fails at the end, and what its runs say about the change that broke it, as indexes of the changes of its stream. */
export interface Expected {
  stream: string
  /** Of the changes of the stream, oldest first. */
  changes: string[]
  name: string
  broken: number
  /** The newest pass before it, and the oldest failure since, that a build saw. */
  lastPassed: number
  firstFailed: number
}

interface Stream {
  name: string
  changes: string[]
  /** By test, the index of the change that broke it and of the fix. */
  regressions: { from: number; to: number }[][]
  /** By test, the runs that tested it: the newest change they contain, and whether the test passed. */
  runs: { at: number; passed: boolean; outage: boolean }[][]
}

const CASES = 120
const BUILDS = 150
const START = Date.now() - 20 * 86_400_000
const HOUR = 3_600_000

/**
 * A world file of a project with two streams, of which one is built seldom. Builds skip changes, arrive out of order and leave out tests; a
 * few tests are flaky, and now and then an outage fails a third of a run. With `numbered`, the streams share changelist numbers and a build
 * names the newest number of the depot, which may belong to the other stream or to nothing.
 */
export function brokenWorld({ seed, numbered }: { seed: number; numbered: boolean }) {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const rates = Array.from({ length: CASES }, () => (random() < 0.03 ? 0.05 + 0.25 * random() : 0))
  const streams = ['main', 'release'].map(
    (name): Stream => ({
      name: numbered ? `//star/${name}` : name,
      changes: [],
      regressions: Array.from({ length: CASES }, () => []),
      runs: Array.from({ length: CASES }, () => []),
    }),
  )
  const changes: object[] = []
  const build_runs: object[] = []
  const test_results: object[] = []
  const arrived: number[] = []
  let depot = 1_000
  const submit = (stream: Stream) => {
    depot += 1 + below(3)
    const identifier = numbered ? String(depot) : depot.toString(16).padStart(40, String(seed % 10))
    const at = stream.changes.push(identifier) - 1
    changes.push({
      key: identifier,
      project: 'star',
      identifier,
      source_type: numbered ? 'Changelist' : 'GitCommit',
      author: 'kim',
      files: [{ path: `${numbered ? `${stream.name}/` : ''}Source/File${depot}.cpp`, action: 'edit' }],
      branches: [stream.name],
      timestamp: new Date(START + changes.length * 60_000).toISOString(),
    })
    if (at > 5 && random() < 0.08)
      for (let broken = below(3); broken >= 0; broken--) {
        const own = stream.regressions[below(CASES)]!
        if ((own.at(-1)?.to ?? 0) < at) own.push({ from: at, to: random() < 0.5 ? Infinity : at + 4 + below(30) })
      }
  }
  for (let number = 1; number <= BUILDS; number++) {
    const stream = streams[random() < 0.2 ? 1 : 0]!
    for (let count = random() < 0.1 && stream.changes.length > 0 ? 0 : 1 + below(4); count > 0; count--) submit(stream)
    if (random() < 0.4) submit(streams[below(2)]!)
    if (stream.changes.length === 0) submit(stream)
    // A number of another depot path: no change of either stream.
    depot += below(2)
    const at = stream.changes.length - 1
    const outage = random() < 0.03
    const cases = Array.from({ length: CASES }, (_, test) => test).flatMap((test) => {
      if (random() < 0.05) return []
      const broken = stream.regressions[test]!.some(({ from, to }) => from <= at && at < to)
      const passed = !broken && !(outage && random() < 0.3) && !(random() < rates[test]!)
      stream.runs[test]!.push({ at, passed, outage })
      return [{ suite: 'Game', name: nameOf(test), ...(passed ? {} : { outcome: 'failed', message: `rule ${test} is broken` }) }]
    })
    const key = `b${number}`
    const finished_at = new Date(START + 10 * HOUR + number * 600_000).toISOString()
    build_runs.push({
      key,
      project: 'star',
      ci_job_name: 'Tests',
      build_number: number,
      status: 'completed',
      branch: stream.name,
      ...(numbered ? { changelist: depot } : { commit_hash: stream.changes.at(-1) }),
      finished_at,
    })
    // One report in ten arrives after that of the next builds.
    arrived.push(number + (random() < 0.1 ? 1 + below(4) : 0) + 0.001 * number)
    test_results.push({ build_run: key, cases })
  }
  const order = arrived.toSorted((a, b) => a - b)
  for (const [index, each] of test_results.entries())
    Object.assign(each, { received_at: new Date(START + 11 * HOUR + order.indexOf(arrived[index]!) * 600_000).toISOString() })
  return { changes, build_runs, test_results, expected: streams.flatMap((stream) => expectedOf(stream, rates)) }
}

const nameOf = (test: number) => `keeps rule ${test}`

/** The tests that a change broke and none fixed, unless they are flaky or no build saw them pass before. */
const expectedOf = ({ name, changes, regressions, runs }: Stream, rates: readonly number[]): Expected[] =>
  regressions.flatMap((own, test) => {
    const broken = own.at(-1)
    const before = runs[test]!.filter(({ at, passed }) => passed && at < (broken?.from ?? 0))
    const since = runs[test]!.filter(({ at, outage }) => at >= (broken?.from ?? 0) && !outage)
    if (!broken || broken.to < Infinity || rates[test]! > 0 || before.length === 0 || since.length === 0) return []
    const expected = { stream: name, changes, name: nameOf(test), broken: broken.from }
    return [{ ...expected, lastPassed: before.at(-1)!.at, firstFailed: since[0]!.at }]
  })
