import fc from 'fast-check'
import type { Submitted } from '../../../src/domain/changes/submit.ts'

/** A build of a generated world: its report, and its true position. */
interface MadeBuild {
  job: string
  stream: number
  status: 'completed' | 'failed'
  number: string
  commit_hash?: string
  changelist?: string
  branch: string
  /** How many changes of its stream it contains. */
  holds: number
}

/** The reports of a studio with several streams, in the order in which things happened, and the truth. */
export interface MadeWorld {
  numbered: boolean
  names: string[]
  /** Deliveries, each the changes of one push or changelist. */
  deliveries: Submitted[][]
  builds: MadeBuild[]
  /** After how many deliveries each build was reported. */
  after: number[]
  /** Identifiers by stream, oldest first. */
  truth: string[][]
}

type Step =
  | { kind: 'work'; stream: number; count: number }
  | { kind: 'merge'; from: number; to: number }
  | { kind: 'pick'; from: number; to: number; which: number }
  | { kind: 'build'; stream: number; job: number; passed: boolean }

const stream = fc.nat(4)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('work' as const), stream, count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), from: stream, to: stream }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pick' as const), from: stream, to: stream, which: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('build' as const), stream, job: fc.nat(1), passed: fc.boolean() }) },
)

export const branchWorld: fc.Arbitrary<MadeWorld> = fc
  .record({
    numbered: fc.boolean(),
    streams: fc.integer({ min: 2, max: 5 }),
    steps: fc.array(step, { minLength: 8, maxLength: 30 }),
  })
  .map(({ numbered, streams, steps }) => make(numbered, streams, steps))

function make(numbered: boolean, streams: number, steps: readonly Step[]): MadeWorld {
  const names = Array.from({ length: streams }, (_, at) => (numbered ? `//Game/S${at}` : at === 0 ? 'main' : `feature/${at}`))
  const world: MadeWorld = { numbered, names, deliveries: [], builds: [], after: [], truth: names.map(() => []) }
  let made = 0

  const change = (stream: number, description: string): Submitted => {
    const identifier = numbered ? String(++made) : (++made).toString(16).padStart(40, '0')
    return {
      source_type: numbered ? 'Changelist' : 'GitCommit',
      identifier,
      author: 'kim',
      author_uids: [],
      description,
      timestamp: null,
      branch: numbered ? '' : names[stream]!,
      files: [{ path: numbered ? `${names[stream]}/Source/combat.c` : 'src/combat.c', action: 'edit' }],
    }
  }
  /** The changes arrive on the stream in one push, or one by one as changelists. */
  const arrive = (stream: number, changes: Submitted[]) => {
    const before = world.truth[stream]!.at(-1)
    world.truth[stream]!.push(...changes.map(({ identifier }) => identifier))
    if (numbered) for (const one of changes) world.deliveries.push([one])
    else
      world.deliveries.push(
        changes.map((one, at) => {
          const follows = changes[at - 1]?.identifier ?? before
          return follows ? { ...one, follows } : one
        }),
      )
  }
  const told = new Map<string, Submitted>()
  const submit = (stream: number, changes: Submitted[]) => {
    for (const one of changes) told.set(one.identifier, one)
    arrive(stream, changes)
  }

  for (const step of steps) {
    if (step.kind === 'work') {
      const at = step.stream % streams
      submit(
        at,
        Array.from({ length: step.count }, () => change(at, 'Work on combat')),
      )
    } else if (step.kind === 'merge') {
      const [from, to] = [step.from % streams, step.to % streams]
      const missing = world.truth[from]!.filter((identifier) => !world.truth[to]!.includes(identifier))
      if (from === to || missing.length === 0) continue
      const merge = change(to, `Merge ${names[from]}`)
      // A git merge contains the commits themselves; a Perforce integration is a separate changelist.
      submit(to, numbered ? [merge] : [...missing.map((identifier) => ({ ...told.get(identifier)!, branch: names[to]! })), merge])
    } else if (step.kind === 'pick') {
      const [from, to] = [step.from % streams, step.to % streams]
      const source = world.truth[from]![step.which % Math.max(1, world.truth[from]!.length)]
      if (from !== to && source) submit(to, [change(to, `Work on combat\n\n(cherry picked from commit ${source})`)])
    } else {
      const at = step.stream % streams
      const own = world.truth[at]!
      if (own.length === 0) continue
      world.builds.push({
        job: `job ${step.job}`,
        stream: at,
        status: step.passed ? 'completed' : 'failed',
        number: String(world.builds.length + 1),
        branch: numbered ? `${names[at]!.toUpperCase()}/` : names[at]!,
        holds: own.length,
        // The depot-wide number: often that of another stream's change.
        ...(numbered ? { changelist: String(made) } : { commit_hash: own.at(-1)! }),
      })
      world.after.push(world.deliveries.length)
    }
  }
  return world
}

/** The changes of a build since the newest earlier pass of its job and stream. */
export function rangeOf({ builds, truth }: MadeWorld, build: MadeBuild): string[] {
  const all = builds.filter(({ job, stream, status }) => job === build.job && stream === build.stream && status === 'completed')
  // A change at which the job passed is not a suspect.
  if (all.some(({ holds }) => holds === build.holds)) return []
  const passed = all.filter(({ holds }) => holds < build.holds)
  return truth[build.stream]!.slice(Math.max(0, ...passed.map(({ holds }) => holds)), build.holds)
}
