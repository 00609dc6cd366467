import { AUTHORS, type Change, numbers, REGIMES } from '../world.ts'

/** Random package sizes: one job builds two configurations, some changes let both grow or shrink, and sizes come in bytes or megabytes. */

export const STREAM = '//game/main'
export const JOB = 'Package'
/** In bytes: the size at first, what a growing change adds, and the highest size that the budget allows. */
export const CONFIGURATIONS = {
  Shipping: { first: 800e6, step: 150e6, allowed: 900e6 },
  Development: { first: 2_000e6, step: 400e6, allowed: 2_300e6 },
} as const
export type Configuration = keyof typeof CONFIGURATIONS

export interface SizedChange extends Change {
  /** How many steps it adds or removes. */
  grows: -1 | 0 | 1
}

export interface SizedBuild {
  number: number
  changelist: number
  configuration: Configuration
  bytes: number
  unit: 'bytes' | 'MB'
}

export type Happening = { kind: 'change'; change: SizedChange } | { kind: 'build'; build: SizedBuild }

export interface SizeWorld {
  regime: (typeof REGIMES)[number]
  happenings: Happening[]
  looks: number[]
}

export function makeSizes(seed: number): SizeWorld {
  const { below, chance, of } = numbers(seed)
  const regime = REGIMES[seed % REGIMES.length]!
  const ticks = 15 + below(15)
  const timeline: { at: number; happening: Happening }[] = []
  const push = (at: number, happening: Happening) => {
    const isLate = regime === 'late' && chance(0.15)
    timeline.push({ at: regime === 'any' ? below(10 * ticks) : isLate ? at + 1 + below(5) : at, happening })
  }
  let [changelist, number, steps] = [1000, 0, 0]
  for (let tick = 1; tick <= ticks; tick++) {
    for (let count = chance(0.3) ? 2 : 1; count > 0; count--) {
      changelist += 1 + below(3)
      const grows = tick < 7 || !chance(0.25) ? 0 : steps === 0 ? 1 : -1
      steps += grows
      const files = [`${STREAM}/Content/Rock${below(9)}.uasset`]
      push(tick, {
        kind: 'change',
        change: { changelist, stream: STREAM, author: of(AUTHORS), description: 'Sculpt', files, grows },
      })
    }
    for (const configuration of ['Shipping', 'Development'] as const) {
      if (chance(0.15)) continue
      const { first, step } = CONFIGURATIONS[configuration]
      const bytes = first + steps * step + below(10) * 100_000
      const build = {
        number: ++number,
        changelist,
        configuration,
        bytes,
        unit: chance(0.2) ? ('MB' as const) : ('bytes' as const),
      }
      push(tick + 0.3, { kind: 'build', build })
    }
  }
  const happenings = timeline.sort((one, other) => one.at - other.at).map(({ happening }) => happening)
  return { regime, happenings, looks: [Math.floor(happenings.length / 2), happenings.length] }
}
