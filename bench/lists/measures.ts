import { randomOf } from '../../src/demo/random.ts'
import { grown } from '../../src/domain/measures/grown-parts.ts'
import { changePoints } from '../../src/measures/change-points.ts'
import { type AssetSize, SIZES_MAX } from '../../src/measures/read-sizes.ts'
import { printTable } from '../harness/table.ts'

const SERIES = 1_000
const STEP_AT = 60
const STEP = 0.05
const ASSETS = 200

/** How soon steps of 5 % are found in simulated measures, how often there is none, whether the range holds the step, and what grew. */
export async function benchMeasures() {
  const rows = [0.005, 0.015, 0.03].map((noise) => {
    const within = noise > 0.015 ? 8 : 3
    const found = Array.from({ length: SERIES }, (_, seed) => stepIn(seed + 1, noise, within))
    const soon = found.filter((jump) => jump !== undefined)
    const right = soon.filter(({ first, last }) => first <= STEP_AT && STEP_AT <= last)
    const width = soon.reduce((sum, { first, last }) => sum + last - first + 1, 0) / soon.length
    return [
      percent(noise, 1),
      String(within),
      percent(soon.length / SERIES, 1),
      percent(right.length / soon.length, 1),
      width.toFixed(1),
      falseAlarms(noise).toFixed(2),
    ]
  })
  printTable(
    `Measures: ${SERIES} simulated series each, with a step of 5 %`,
    ['noise', 'within builds', 'found', 'in the range', 'builds in it', 'false alarms per 500'],
    rows,
  )
  const named = Array.from({ length: SERIES }, (_, seed) => namesAsset(seed + 1)).filter(Boolean).length
  console.log(`The asset that grew is named first: ${percent(named / SERIES, 1)} of ${SERIES} pairs of size lists.`)
}

const percent = (share: number, digits: number) => `${(100 * share).toFixed(digits)} %`

function stepIn(seed: number, noise: number, within: number) {
  const random = randomOf(seed)
  const values = Array.from({ length: STEP_AT + within }, (_, at) => (at < STEP_AT ? 1 : 1 + STEP) * (1 + noise * normal(random)))
  return changePoints(values).find(({ found, withdrawn }) => withdrawn === undefined && found >= STEP_AT)
}

function falseAlarms(noise: number): number {
  const points = 500
  let alarms = 0
  for (let seed = 1; seed <= SERIES / 5; seed++) {
    const random = randomOf(seed * 7919)
    alarms += changePoints(Array.from({ length: points }, () => 1 + noise * normal(random))).length
  }
  return alarms / (SERIES / 5)
}

/** A game of 200 assets: a few change a little between two builds, one of any size grows by 5 % of the whole. */
function namesAsset(seed: number): boolean {
  const random = randomOf(seed * 104_729)
  const all = Array.from(
    { length: ASSETS },
    (_, at): AssetSize => [`Assets/${at}.png`, Math.round(1e5 * Math.exp(1.5 * normal(random)))],
  )
  const total = all.reduce((sum, [, size]) => sum + size, 0)
  const grows = Math.floor(random() * ASSETS)
  const later = all.map(([path, size], at): AssetSize => {
    if (at === grows) return [path, Math.round(size + STEP * total)]
    return [path, random() < 0.1 ? Math.round(size * (1 + 0.05 * normal(random))) : size]
  })
  const [first] = grown(listed(all), listed(later), SIZES_MAX)
  return first?.path === `Assets/${grows}.png`
}

const listed = (assets: readonly AssetSize[]) => [...assets].sort(([, a], [, b]) => b - a).slice(0, SIZES_MAX)

const normal = (random: () => number) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
