import { type Build, type Cause, type Change, type Happening, numbers, PEOPLE, REGIMES, SOURCES } from '../world.ts'

/**
 * Random depots: a stream that the server lists, one that is made today, and a foreign depot that nobody builds but whose files have the same
 * names. In every second world the CI is connected before version control.
 */

export const MAIN = '//game/main'
export const NEW = '//game/feature'
const FOREIGN = '//art/source'

export interface StreamWorld {
  seed: number
  regime: (typeof REGIMES)[number]
  happenings: Happening[]
  /** After how many of them the service is checked. */
  looks: number[]
  /** After how many of them the new stream was made. */
  made: number
}

export function makeStreamWorld(seed: number): StreamWorld {
  const { below, chance, of } = numbers(seed)
  const regime = REGIMES[seed % REGIMES.length]!
  const isConnectedLate = seed % 2 === 0
  const ticks = 4 + below(8)
  const madeAt = regime === 'any' ? 0 : below(ticks)
  const timeline: { at: number; happening: Happening }[] = []
  const push = (at: number, happening: Happening) =>
    timeline.push({
      at: regime === 'any' ? below(10 * ticks) : regime === 'late' && chance(0.15) ? at + 1 + below(4) : at,
      happening,
    })

  let changelist = 1000
  const broken = new Map<string, string[]>([MAIN, NEW].map((stream) => [stream, []]))
  const counts = new Map<string, number>()
  const submit = (at: number, stream: string, path: string, description: string) => {
    changelist += 1 + below(3)
    const change: Change = { changelist, stream, author: of(PEOPLE), description, files: [`${stream}/${path}`] }
    // A few minutes after the builds of it, or when version control is connected.
    push(isConnectedLate ? ticks + 1 : chance(0.3) ? at + 0.7 : at, { kind: 'change', change })
  }
  for (let tick = 1; tick <= ticks; tick++) {
    const streams = tick > madeAt ? [MAIN, NEW] : [MAIN]
    for (let count = below(4); count > 0; count--) {
      const stream = of([...streams, FOREIGN])
      const own = broken.get(stream)
      const file = of(SOURCES)
      if (own && own.length > 0 && chance(0.4)) submit(tick, stream, `Source/${own.shift()!}`, 'Fix the build')
      else if (own && !own.includes(file) && chance(0.4)) {
        own.push(file)
        submit(tick, stream, `Source/${file}`, `Rework ${file}`)
      } else submit(tick, stream, `Source/${file}`, 'Rework a comment')
    }
    for (const stream of streams) {
      if (chance(0.3)) continue
      const job = `Win64 ${stream}`
      const number = (counts.get(job) ?? 0) + 1
      counts.set(job, number)
      const [file] = broken.get(stream)!
      const cause: Cause | null = file === undefined ? null : { kind: 'compile', file }
      const build: Build = {
        job,
        ciJob: job,
        platform: null,
        number,
        stream,
        changelist,
        cause,
        upstream: null,
        isPreflight: false,
      }
      push(tick + 0.5, { kind: 'build', build, hasLog: cause !== null, minutes: 0 })
    }
    if (chance(0.5)) push(tick + 0.6, { kind: 'pause', seconds: of([5, 60, 300]) })
  }
  const sorted = timeline.sort((one, other) => one.at - other.at)
  const happenings = sorted.map(({ happening }) => happening)
  const looks: number[] = []
  for (let next = 5 + below(20); next < happenings.length; next += 5 + below(30)) looks.push(next)
  return { seed, regime, happenings, looks, made: sorted.filter(({ at }) => at <= madeAt + 1).length }
}
