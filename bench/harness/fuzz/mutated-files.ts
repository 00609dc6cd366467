import { readFileSync } from 'node:fs'
import { hdr, psd, tga, wav } from '../../../test/support/files/decoded-pictures.ts'
import { EXR_COMPRESSIONS, exr } from '../../../test/support/files/exr.ts'
import { silentOpus } from '../../../test/support/files/ogg.ts'
import { gif, jpeg, pngOf, webp } from '../../../test/support/files/pictures.ts'
import { ENGINES, type Engine, unrealPackage } from '../../../test/support/files/unreal-packages.ts'
import { below, chance, pick, type Random } from './values.ts'

export interface HostileFile {
  path: string
  bytes: Buffer
  isCut: boolean
}

const SOUNDS = new URL('../../../src/previews/sounds/fixtures/', import.meta.url)
const sound = (name: string) => ({ path: name, bytes: readFileSync(new URL(name, SOUNDS)) })

/** A readable file of each kind and packing: what a mutation leaves intact leads deep into the reader. */
export const INTACT: readonly { path: string; bytes: Buffer }[] = [
  { path: 'a.png', bytes: pngOf(300, 200, (x, y) => [x & 255, y & 255, (x * y) & 255, 255]) },
  { path: 'a.jpg', bytes: jpeg() },
  { path: 'a.gif', bytes: gif({ width: 40, height: 30 }) },
  { path: 'a.webp', bytes: webp() },
  ...[false, true].map((packed) => ({ path: 'a.tga', bytes: tga({ packed }) })),
  ...[{}, { packed: true }, { depth: 16 }, { zipped: 'values' as const }, { zipped: 'differences' as const }].map((options) => ({
    path: 'a.psd',
    bytes: psd(options),
  })),
  { path: 'a.psb', bytes: psd({ packed: true, large: true }) },
  ...[false, true].map((packed) => ({ path: 'a.hdr', bytes: hdr({ packed }) })),
  ...(Object.keys(EXR_COMPRESSIONS) as (keyof typeof EXR_COMPRESSIONS)[]).flatMap((compression) =>
    (['half', 'float'] as const).map((pixel) => ({
      path: 'a.exr',
      bytes: exr({ compression, pixel, width: 60, height: 50, light: (x, y) => [x / 60, y / 50, ((x * y) % 7) / 7] }),
    })),
  ),
  ...[8, 16, 24].map((bits) => ({ path: 'a.wav', bytes: wav({ bits }) })),
  ...['tone.ogg', 'tone.opus', 'surround.opus'].map(sound),
  { path: 'long.opus', bytes: silentOpus({ minutes: 5 }) },
  ...(Object.keys(ENGINES) as Engine[]).map((engine) => ({ path: 'a.uasset', bytes: unrealPackage({ engine }) })),
  { path: 'a.json', bytes: Buffer.from(JSON.stringify({ rows: Array.from({ length: 500 }, (_, row) => ({ row })) })) },
]

/** What lengths, sizes and offsets are rarely tried with. */
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0001_0000, 0x4000_0000]

/** Heads decide more than what follows. */
const placeIn = (random: Random, bytes: Buffer) =>
  chance(random, 0.6) ? below(random, Math.min(bytes.length, 256)) : below(random, bytes.length)

const MUTATIONS: ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => {
    const at = placeIn(random, bytes)
    bytes[at] = bytes[at]! ^ (1 << below(random, 8))
    return bytes
  },
  (random, bytes) => {
    bytes[placeIn(random, bytes)] = below(random, 256)
    return bytes
  },
  (random, bytes) => {
    const value = pick(random, EXTREMES)
    const at = Math.min(placeIn(random, bytes), bytes.length - 4)
    if (at < 0) return bytes
    if (chance(random, 0.5)) bytes.writeUInt32LE(value, at)
    else bytes.writeUInt32BE(value, at)
    return bytes
  },
  (random, bytes) => bytes.subarray(0, below(random, bytes.length) + 1),
  (random, bytes) => {
    const [from, at] = [below(random, bytes.length), placeIn(random, bytes)]
    const piece = bytes.subarray(from, from + 1 + below(random, 64))
    return Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(1 + below(random, 200)).fill(piece), bytes.subarray(at)])
  },
  (random, bytes) => {
    const at = placeIn(random, bytes)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(random, 32))])
  },
  (random, bytes) => Buffer.concat([bytes, Buffer.alloc(below(random, 2_000_000), below(random, 256))]),
  (random, bytes) => {
    const other = pick(random, INTACT).bytes
    const at = placeIn(random, bytes)
    return Buffer.concat([bytes.subarray(0, at), other.subarray(Math.min(at, other.length))])
  },
]

/** A readable file with one to eight mutations. */
export function hostileFile(random: Random): HostileFile {
  const { path, bytes } = pick(random, INTACT)
  let mutated: Buffer = Buffer.from(bytes)
  for (let left = 1 + below(random, 8); left > 0 && mutated.length > 0; left--)
    mutated = pick(random, MUTATIONS)(random, Buffer.from(mutated))
  return { path, bytes: mutated, isCut: chance(random, 0.1) }
}
