import type { AssetType } from '../../contract/sets.ts'
import { Random } from '../random.ts'
import { type Color, mix, noiseOf, type Paint, pngOf, scaled } from './canvas.ts'

/** Pictures of the demo's assets, computed from their names: the same asset looks the same on every installation. */

const [WIDTH, HEIGHT] = [400, 300]
/** Dark, middle, light, and a color that stands out. */
const PALETTES: readonly (readonly [Color, Color, Color, Color])[] = [
  [
    [0.02, 0.06, 0.1],
    [0.06, 0.25, 0.3],
    [0.5, 0.7, 0.65],
    [0.9, 0.45, 0.1],
  ],
  [
    [0.08, 0.03, 0.02],
    [0.35, 0.14, 0.06],
    [0.8, 0.55, 0.28],
    [0.1, 0.4, 0.45],
  ],
  [
    [0.03, 0.06, 0.02],
    [0.14, 0.28, 0.08],
    [0.65, 0.72, 0.3],
    [0.75, 0.12, 0.1],
  ],
  [
    [0.04, 0.03, 0.09],
    [0.2, 0.14, 0.38],
    [0.7, 0.55, 0.75],
    [0.95, 0.75, 0.2],
  ],
]
const SKY: Color = [0.05, 0.055, 0.07]
const FLOOR: Color = [0.13, 0.135, 0.15]

/** What one version of an asset looks like. A later version keeps the shape; colors, wear and detail move on. */
export interface Subject {
  path: string
  version: number
}

interface Scene {
  palette: (typeof PALETTES)[number]
  noise: ReturnType<typeof noiseOf>
  random: Random
  /** From version to version. */
  step: number
}

const sceneOf = ({ path, version }: Subject): Scene => {
  const random = new Random(path)
  const palette = random.pick(PALETTES)
  return { palette, noise: noiseOf(random), random, step: version % 5 }
}

/** Null for types that are no pictures. */
export async function pictureOf(type: AssetType, subject: Subject): Promise<Buffer<ArrayBuffer> | null> {
  const draw = type === 'texture' ? textureOf(subject.path) : DRAWN[type]
  return draw ? pngOf(WIDTH, HEIGHT, draw(sceneOf(subject))) : null
}

const textureOf = (path: string) => (/_N\.\w+$/.test(path) ? normals : /UI|icon/i.test(path) ? badge : stones)

/** Worn tiles with mortar between them. */
function stones({ palette: [dark, middle, light, accent], noise, random, step }: Scene): Paint {
  const [rows, marked] = [random.whole(4, 7), random.whole(0, 5)]
  return (u, v) => {
    const row = Math.floor(v * rows)
    const along = u * rows * 0.8 + (row % 2) * 0.5
    const [x, y] = [along % 1, (v * rows) % 1]
    const edge = Math.min(x, 1 - x, y, 1 - y)
    const tile = noise((Math.floor(along) * 0.37 + row * 0.21) % 1, row * 0.13, 8)
    const wear = noise(u, v, 6)
    const base = mix(
      mix(middle, light, tile + 0.4 * (wear - 0.5)),
      accent,
      (Math.floor(along) + row) % 6 === marked ? 0.35 + 0.12 * step : 0,
    )
    return scaled(mix(dark, base, (edge - 0.02 - 0.04 * wear) * 22), 0.6 + 0.6 * wear)
  }
}

/** The slopes of a surface, as engines store them. */
function normals({ noise, step }: Scene): Paint {
  const height = (u: number, v: number) => noise(u, v, 6) + 0.25 * Math.abs(Math.sin(u * 18)) * (1 + 0.3 * step)
  return (u, v) => {
    const slope = [height(u + 0.004, v) - height(u, v), height(u, v + 0.004) - height(u, v)].map((by) => by * 14) as [
      number,
      number,
    ]
    const length = Math.hypot(slope[0], slope[1], 1)
    return [0.5 - slope[0] / length / 2, 0.5 + slope[1] / length / 2, 0.5 + 0.5 / length].map(
      (value) => value ** 1.6,
    ) as unknown as Color
  }
}

/** A round sign of the interface. */
function badge({ palette: [dark, middle, light, accent], noise, random, step }: Scene): Paint {
  const points = random.whole(5, 9)
  return (u, v) => {
    const [x, y] = [(u - 0.5) * (WIDTH / HEIGHT), v - 0.5]
    const [radius, angle] = [Math.hypot(x, y), Math.atan2(y, x)]
    const star = 0.2 + 0.07 * Math.cos(angle * points + step * 0.4)
    const grain = 0.9 + 0.2 * noise(u, v, 16)
    if (radius > 0.44) return FLOOR
    if (radius > 0.39) return scaled(light, grain)
    if (radius < star) return scaled(mix(accent, light, (star - radius) * 2.5), grain)
    return scaled(mix(middle, dark, (radius - 0.1) * 2.2), grain)
  }
}

/** A ball of the material over a gray floor. */
function ball(scene: Scene): Paint {
  const skin = stones(scene)
  const shine = 0.25 + 0.15 * scene.step
  return (u, v) => {
    const [x, y] = [((u - 0.5) * (WIDTH / HEIGHT)) / 0.38, (v - 0.47) / 0.38]
    const depth = 1 - x * x - y * y
    if (depth <= 0) return ground(u, v, x, (v - 0.85) / 0.05)
    const z = Math.sqrt(depth)
    const light = Math.max(0.05, (-0.5 * x - 0.6 * y + 0.7 * z) / 1.05)
    const gloss = shine * Math.max(0, -0.35 * x - 0.45 * y + 0.82 * z) ** 24
    const [r, g, b] = scaled(skin(0.5 + Math.atan2(x, z) / Math.PI, 0.5 + Math.asin(y) / Math.PI), 0.25 + 1.1 * light)
    return [r + gloss, g + gloss, b + gloss]
  }
}

/** Something turned on a lathe, with light from the left. */
function turned({ palette: [dark, middle, light, accent], noise, random, step }: Scene): Paint {
  const [waves, belly, band] = [random.between(2, 5), random.between(0.12, 0.22), random.between(0.3, 0.7)]
  const profile = (v: number) =>
    v < 0.12 || v > 0.86
      ? 0
      : belly * Math.sqrt(Math.sin((Math.PI * (v - 0.12)) / 0.74)) * (1 + 0.3 * Math.sin(v * waves * 4 + 0.3 * step))
  return (u, v) => {
    const x = (u - 0.5) * (WIDTH / HEIGHT)
    const radius = profile(v)
    if (Math.abs(x) >= radius) return ground(u, v, x / 0.24, (v - 0.86) / 0.05)
    const across = x / radius
    const z = Math.sqrt(1 - across * across)
    const slope = (profile(v + 0.01) - profile(v - 0.01)) / 0.02
    const shade = Math.max(0.04, (-0.55 * across + 0.75 * z - 0.35 * slope) / 1.1)
    const skin = mix(mix(middle, light, noise(across * 0.25, v, 8) * 1.2 - 0.2), dark, noise(across * 0.3 + 0.5, v, 12) - 0.35)
    const painted = Math.abs(v - band) < 0.05 ? mix(skin, accent, 0.5 + 0.1 * step) : skin
    return scaled(painted, 0.2 + 1.3 * shade)
  }
}

/** Three poses of it, the earlier ones fading. */
function poses(scene: Scene): Paint {
  const pose = turned(scene)
  return (u, v) => {
    const lean = (by: number): Color => pose(u + by * (v - 0.86), v)
    const [now, before, first] = [lean(0.1 + 0.08 * scene.step), lean(0.45), lean(0.8)]
    const background = ground(u, v, 9, 9)
    const isEmpty = (color: Color) => Math.abs(color[0] - background[0]) + Math.abs(color[2] - background[2]) < 0.02
    return isEmpty(now) ? (isEmpty(before) ? mix(background, first, 0.25) : mix(background, before, 0.5)) : now
  }
}

/** A coast from above. */
function coast({ palette: [, middle, light, accent], noise, random, step }: Scene): Paint {
  const sea = random.between(0.44, 0.5)
  const height = (u: number, v: number) =>
    0.75 * noise(u, v, 3) + 0.25 * noise(u, v, 12) + 0.12 * (0.5 - Math.hypot(u - 0.5, v - 0.5))
  return (u, v) => {
    const at = height(u, v)
    const shade = 1 + 14 * (at - height(u - 0.004, v - 0.004))
    if (at < sea) return mix([0.01, 0.07, 0.12], [0.05, 0.3, 0.34], (at - sea + 0.2) * 5)
    const isRoad = Math.abs(noise(u + 0.3, v, 4) - 0.47) < 0.006 && at < sea + 0.14
    if (isRoad) return scaled(light, 0.9)
    const isRoof = at > sea + 0.03 && at < sea + 0.09 && (Math.floor(u * 60) * 7 + Math.floor(v * 45) * 13) % 31 < 2 + step
    if (isRoof) return scaled(accent, shade)
    return scaled(at < sea + 0.012 ? [0.6, 0.5, 0.32] : mix(middle, light, (at - sea) * 3), shade)
  }
}

/** A floor with a soft shadow. */
function ground(_: number, v: number, x: number, y: number): Color {
  const base = v < 0.7 ? mix(SKY, FLOOR, v / 0.7) : FLOOR
  return scaled(base, 1 - 0.6 * Math.exp(-x * x - y * y))
}

const DRAWN: Partial<Record<AssetType, (scene: Scene) => Paint>> = {
  material: ball,
  model: turned,
  animation: poses,
  level: coast,
}
