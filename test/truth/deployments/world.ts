import { numbers, REGIMES } from '../world.ts'

/** Random releases of builds on two tracks of a store. Each report carries the store's time; some come late, twice or in another order. */

export const TRACKS = ['beta', 'production'] as const
export const EVENTS = ['submitted', 'review_started', 'approved', 'released', 'rolled_back'] as const

export interface Report {
  track: (typeof TRACKS)[number]
  build: number
  event: (typeof EVENTS)[number]
  /** Minutes before now. */
  ago: number
}

export interface ReleaseWorld {
  seed: number
  regime: (typeof REGIMES)[number]
  builds: number
  reports: Report[]
}

export function makeReleases(seed: number): ReleaseWorld {
  const { below, chance } = numbers(seed)
  const regime = REGIMES[seed % REGIMES.length]!
  const builds = 3 + below(5)
  const sent: { at: number; report: Report }[] = []
  let ago = 2_000
  for (let build = 1; build <= builds; build++)
    for (const track of TRACKS) {
      if (chance(0.25)) continue
      const steps = 1 + below(EVENTS.length)
      let last = ago
      for (const event of EVENTS.slice(0, steps)) {
        // No two facts of a track at one time.
        last -= 1 + below(40)
        const report = { track, build, event, ago: last - TRACKS.indexOf(track) / 2 }
        const at = regime === 'any' ? below(10_000) : regime === 'late' && chance(0.2) ? -last + below(200) : -last
        sent.push({ at, report })
        if (regime !== 'in order' && chance(0.15)) sent.push({ at: at + below(300), report })
      }
      ago -= 1 + below(60)
    }
  return { seed, regime, builds, reports: sent.toSorted((a, b) => a.at - b.at).map(({ report }) => report) }
}
