import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import type { Random } from '../random.ts'

/** Each channel from 0 to 1. */
export type Color = readonly [number, number, number]
/** The color at a place, from 0 to 1 in both directions. */
export type Paint = (u: number, v: number) => Color

export const mix = (a: Color, b: Color, share: number): Color => {
  const t = Math.min(1, Math.max(0, share))
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}
export const scaled = ([r, g, b]: Color, by: number): Color => [r * by, g * by, b * by]

const LATTICE = 64
const OCTAVES = 4

/** Soft noise from 0 to 1 that repeats without a seam. */
export function noiseOf(random: Random): (u: number, v: number, size: number) => number {
  const lattice = Float32Array.from({ length: LATTICE * LATTICE }, () => random.next())
  const at = (x: number, y: number, period: number) => lattice[(y % period) * LATTICE + (x % period)]!
  const smooth = (t: number) => t * t * (3 - 2 * t)
  return (u, v, size) => {
    let [sum, weight] = [0, 0.5]
    for (let octave = 0; octave < OCTAVES; octave++, weight /= 2) {
      const period = Math.min(LATTICE, size * 2 ** octave)
      const [x, y] = [(((u % 1) + 1) % 1) * period, (((v % 1) + 1) % 1) * period]
      const [x0, y0] = [Math.floor(x), Math.floor(y)]
      const [fx, fy] = [smooth(x - x0), smooth(y - y0)]
      const top = at(x0, y0, period) * (1 - fx) + at(x0 + 1, y0, period) * fx
      const bottom = at(x0, y0 + 1, period) * (1 - fx) + at(x0 + 1, y0 + 1, period) * fx
      sum += weight * (top * (1 - fy) + bottom * fy)
    }
    return sum
  }
}

const ROWS_OF_TURN = 8

/** A png file. Others get their turn between rows: the service that draws it is in use. */
export async function pngOf(width: number, height: number, paint: Paint): Promise<Buffer<ArrayBuffer>> {
  const rows = Buffer.alloc((3 * width + 1) * height)
  for (let y = 0; y < height; y++) {
    if (y % ROWS_OF_TURN === 0) await nextTurn()
    for (let x = 0; x < width; x++) {
      const color = paint((x + 0.5) / width, (y + 0.5) / height)
      for (let i = 0; i < 3; i++)
        rows[y * (3 * width + 1) + 1 + 3 * x + i] = Math.round(255 * Math.min(1, Math.max(0, color[i]!)) ** (1 / 1.6))
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  // Eight bits, in RGB.
  head.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 3 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
