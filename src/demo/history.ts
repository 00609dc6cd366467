import { HOUR, MINUTE, workTimes } from './calendar.ts'
import type { Area, Game, Incident, Work } from './game.ts'
import type { Random } from './random.ts'
import { fill, pascal, snake } from './table.ts'

/** One change of the story, before any tool has reported it. */
export interface Moment {
  at: number
  work: Work
  /** The incident after this change. */
  broken?: Incident
  /** The incident that this change fixes. */
  mends?: Incident
  /** Set for a merge of other changes into the release. */
  merges?: readonly Moment[]
}

/** The project's six weeks, oldest first: everyday work, and now and then something breaks and is fixed. */
export function historyOf(game: Game, now: number, random: Random): Moment[] {
  const early = workTimes(game.changes - game.latest.length, now - Math.max(...game.latest) * MINUTE - HOUR, random)
  const times = [...early, ...game.latest.map((minutes) => now - minutes * MINUTE)]
  const everyday = shuffled(game.areas, random)
  const moments: Moment[] = []
  const starts = new Map(game.incidents.map((incident, i) => [startOf(i, game), incident]))
  let open: { incident: Incident; fixedAt: number } | undefined
  times.forEach((at, i) => {
    const begun = starts.get(i)
    if (begun) open = { incident: begun, fixedAt: i + begun.lasts }
    if (open && i === open.fixedAt) {
      moments.push({ at, work: filled(open.incident.fix, '', random), mends: open.incident })
      open = undefined
      return
    }
    const work = begun?.culprit ? filled(begun.culprit, '', random) : nextOf(everyday, game)
    moments.push({ at, work, ...(open ? { broken: open.incident } : {}) })
  })
  return moments
}

/** Evenly spread; the last one broke shortly before now, and the newest change fixes it. */
function startOf(index: number, { changes, incidents }: Game): number {
  const last = incidents.length - 1
  const end = changes - 1 - incidents[last]!.lasts
  return Math.round(((index + 1) / incidents.length) * end)
}

function nextOf(everyday: Iterator<Work>, game: Game): Work {
  const { value, done } = everyday.next()
  if (done) throw new Error(`${game.name} has too little to do for ${game.changes} changes.`)
  return value
}

/** All works of all items, mixed, but each item's own works in order. */
function* shuffled(areas: readonly Area[], random: Random): Generator<Work> {
  const lines = areas.flatMap(({ things, works }) => things.map((thing) => works.map((work) => ({ work, thing }))))
  // Drawn from everything that is left, so that long lists last as long as short ones.
  for (let left = lines.flat().length; left > 0; left--) {
    let drawn = random.whole(0, left - 1)
    const line = lines.find((works) => {
      drawn -= works.length
      return drawn < 0
    })!
    const { work, thing } = line.shift()!
    yield filled(work, thing, random)
  }
}

function filled(work: Work, thing: string, random: Random): Work {
  const values = { thing, Name: pascal(thing), name: snake(thing), n: String(random.whole(2, 9)) }
  return {
    by: [random.pick(work.by)],
    text: fill(work.text, values),
    files: work.files.map((file) => fill(file, values)),
  }
}
