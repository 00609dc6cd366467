import { deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hdr, psd, tga, wav } from '../../test/support/files/decoded-pictures.ts'
import { EXR_COMPRESSIONS, type ExrOptions, exr } from '../../test/support/files/exr.ts'
import { gif, jpeg, png, SECRET, webp } from '../../test/support/files/pictures.ts'
import { unrealPackage } from '../../test/support/files/unreal-packages.ts'
import { PREVIEW_TEXT_MAX } from '../contract/limits.ts'
import { readExr } from './pictures/exr.ts'
import { readFile } from './read-file.ts'
import { peaksOf } from './sounds/wav.ts'

const read = (path: string, bytes: Buffer, isCut = false) => readFile({ path, isCut }, bytes)
/** The first pixel of what was made. */
async function firstPixel(path: string, bytes: Buffer) {
  const made = await read(path, bytes)
  if (!('large' in made)) throw new Error('no picture')
  const { data } = await sharp(made.large).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return [...data.subarray(0, 3)]
}
function isNear(pixel: number[], expected: number[]) {
  for (const [i, value] of pixel.entries()) expect(Math.abs(value - expected[i]!), `${pixel}`).toBeLessThan(16)
}
const ORANGE = [240, 130, 20] as const

describe.each([
  ['a.tga', 'without runs', tga({ color: ORANGE })],
  ['a.tga', 'with runs', tga({ color: ORANGE, packed: true })],
  ['a.tga', 'from top to bottom', tga({ color: ORANGE, topDown: true })],
  ['a.psd', 'without runs', psd({ color: ORANGE })],
  ['a.psd', 'with runs', psd({ color: ORANGE, packed: true })],
  ['a.psd', 'with 16 bits', psd({ color: ORANGE, depth: 16 })],
  ['a.psd', 'with zlib', psd({ color: ORANGE, zipped: 'values' })],
  ['a.psd', 'with zlib and differences', psd({ color: ORANGE, zipped: 'differences' })],
  ['a.psb', 'of the large kind', psd({ color: ORANGE, packed: true, large: true })],
])('%s %s', (path, _, bytes) => {
  test('is drawn in its colors', async () => {
    expect(await read(path, bytes)).toMatchObject({ kind: 'picture', source: 'file', width: 8, height: 6 })
    isNear(await firstPixel(path, bytes), [...ORANGE])
  })

  test('is damaged wherever it is cut off', async () => {
    // Without the checksum at the end of a zlib stream, all pixels are still there.
    for (let end = 27; end < bytes.length - 5; end += 5)
      await expect(read(path, bytes.subarray(0, end)), `${end} of ${bytes.length}`).rejects.toThrow()
  })

  test('ends with an error or a picture, whatever its numbers say', async () => {
    for (let at = 4; at < Math.min(bytes.length, 60); at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const wrong = Buffer.from(bytes)
        wrong[at] = value
        await read(path, wrong).catch(() => {})
      }
  }, 60_000)
})

test.each([true, false])('a radiance picture (packed: %s) is exposed for a screen', async (packed) => {
  const bright = await firstPixel('a.hdr', hdr({ light: [500, 500, 500], packed }))
  const dark = await firstPixel('a.hdr', hdr({ light: [0.001, 0.001, 0.001], packed }))
  isNear(bright, dark)
  expect(bright[0]).toBeGreaterThan(60)
  expect(bright[0]).toBeLessThan(200)
})

/** All pixels of what was made. */
async function pixelsOf(path: string, bytes: Buffer) {
  const made = await read(path, bytes)
  if (!('large' in made)) throw new Error('no picture')
  return sharp(made.large).removeAlpha().raw().toBuffer()
}
/** Dark red at the top left, bright green to the right, blue below; larger than a block of any compression. */
const SCENE: ExrOptions = {
  width: 37,
  height: 45,
  light: (x, y) => [x < 18 ? 0.2 : 0.05, x < 18 ? 0.05 : 0.8 + y / 100, y < 20 ? 0.05 : 0.6 + ((x * 7) % 5) / 10],
}

describe.each(Object.keys(EXR_COMPRESSIONS) as (keyof typeof EXR_COMPRESSIONS)[])('an OpenEXR file with %s', (compression) => {
  test('has the same pixels as without compression, in half and float', async () => {
    const plain = await pixelsOf('a.exr', exr({ ...SCENE, compression: 'none' }))
    isNear([...plain.subarray(0, 3)], [93, 48, 48])
    const rightBelow = [...plain.subarray(-3)]
    expect(rightBelow[1]).toBeGreaterThan(rightBelow[2]!)
    expect(rightBelow[2]).toBeGreaterThan(rightBelow[0]!)
    for (const pixel of ['half', 'float'] as const) {
      const pixels = await pixelsOf('a.exr', exr({ ...SCENE, compression, pixel }))
      const difference = pixels.reduce((most, value, i) => Math.max(most, Math.abs(value - plain[i]!)), 0)
      expect(difference, pixel).toBeLessThanOrEqual(pixel === 'half' ? 0 : 4)
    }
  })

  test('is damaged wherever it is cut off', async () => {
    const bytes = exr({ ...SCENE, height: 7, compression })
    for (let end = 9; end < bytes.length; end += Math.ceil(bytes.length / 40))
      await expect(read('a.exr', bytes.subarray(0, end)), `${end} of ${bytes.length}`).rejects.toThrow()
  })

  test('ends with an error or a picture, whatever its numbers say', async () => {
    const bytes = exr({ ...SCENE, width: 5, height: 3, compression })
    for (let at = 4; at < bytes.length; at += 3)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const wrong = Buffer.from(bytes)
        wrong[at] = value
        try {
          readExr(wrong)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
      }
  })
})

test('an OpenEXR file with more values than 14 bits number is read with PIZ too', () => {
  // 27,000 different ones in a block.
  const light = (x: number, y: number) =>
    [0, 1, 2].map((i) => 2 ** (((x * 7919 + y * 104_729 + i * 1_299_709) % 29_989) / 1_000 - 14)) as [number, number, number]
  const [plain, packed] = (['none', 'piz'] as const).map((compression) =>
    readExr(exr({ width: 400, height: 32, compression, light })),
  )
  expect(packed!.pixels.equals(plain!.pixels)).toBe(true)
})

test('an OpenEXR file whose block inflates to more or less than its rows is damaged, and inflated no further', async () => {
  const small = exr({ width: 600, height: 1, compression: 'zips', light: () => [1, 1, 1] })
  const bomb = exr({ width: 4_000, height: 1, compression: 'zips', claimed: [600, 1], light: () => [1, 1, 1] })
  expect(await read('a.exr', small)).toMatchObject({ kind: 'picture', width: 600 })
  await expect(read('a.exr', bomb)).rejects.toThrow('larger than 3600 bytes')
  await expect(read('a.exr', exr({ width: 600, height: 1, compression: 'zips', claimed: [601, 1] }))).rejects.toThrow(
    'exr pixels',
  )
})

test('an OpenEXR file in tiles says what is read', async () => {
  await expect(read('a.exr', exr({ flags: 0x200 }))).rejects.toThrow('scan lines and one part')
})

test('a tga keeps its rows in order, whichever comes first in the file', async () => {
  for (const topDown of [false, true]) {
    const pixels = await pixelsOf('a.tga', tga({ color: ORANGE, bottom: [0, 0, 255], topDown }))
    // Colors of neighbors run into each other.
    const [first, last] = [pixels.subarray(0, 3), pixels.subarray(-3)]
    expect(first[0]).toBeGreaterThan(first[2]! + 100)
    expect(last[2]).toBeGreaterThan(last[0]!)
  }
})

test('of 16 bits in a psd, the high ones are drawn', async () => {
  isNear(await firstPixel('a.psd', psd({ color: ORANGE, depth: 16, low: 0 })), [...ORANGE])
})

test.each([
  { depth: 8, step: 9 },
  // The low bytes add up to high ones.
  { depth: 16, step: 900 },
])('a psd with $depth bits has the same pixels with zlib as without compression', async ({ depth, step }) => {
  const plain = await pixelsOf('a.psd', psd({ color: ORANGE, depth, step }))
  for (const zipped of ['values', 'differences'] as const)
    for (const large of [true, false])
      expect(await pixelsOf('a.psd', psd({ color: ORANGE, depth, step, zipped, large })), zipped).toEqual(plain)
})

test('of a psd with zlib, nothing is inflated after the colors', async () => {
  const zipped = 'differences'
  const bomb = psd({ color: ORANGE, zipped, after: Buffer.alloc(10_000_000) })
  bomb.fill(0xff, bomb.length - 5_000)
  expect(() => inflateSync(bomb.subarray(bomb.indexOf(Buffer.from('0003789c', 'hex')) + 2))).toThrow()
  isNear(await firstPixel('a.psd', bomb), [...ORANGE])
  await expect(read('a.psd', psd({ color: ORANGE, zipped, claimed: [8, 7] }))).rejects.toThrow('psd pixels')
  await expect(read('a.psd', psd({ color: ORANGE, zipped, claimed: [10_000, 10_000] }))).rejects.toThrow('psd pixels')
})

test('a sound has the peaks of its negative samples too', () => {
  const peaks = peaksOf(wav({ isNegative: true }))
  expect(peaks[100]).toBeLessThan(0.05)
  expect(peaks[1500]).toBeGreaterThan(0.9)
})

test.each([
  ['a.exr', exr({ claimed: [100_000, 100_000] })],
  ['a.exr', exr({ claimed: [4_000, 4_000] })],
  ['a.tga', tga({ claimed: [60_000, 60_000] })],
  ['a.psd', psd({ claimed: [100_000, 100_000] })],
  ['a.hdr', hdr({ claimed: [100_000, 100_000] })],
])('%s with gigapixels is refused before memory is reserved', async (path, bytes) => {
  await expect(read(path, bytes)).rejects.toThrow(/pixels\. At most|exr pixels/)
})

test('a png whose data inflates to more than its size is refused', async () => {
  const bomb = png({ claimed: [20_000, 20_000] })
  await expect(read('a.png', bomb)).rejects.toThrow()
  expect(deflateSync(Buffer.alloc(1_000)).length).toBeLessThan(100)
})

test.each([
  ['png', png(), 'a.uasset'],
  ['jpeg', jpeg(), 'a.txt'],
  ['gif', gif(), 'a.png'],
  ['webp', webp(), 'a'],
])('a %s is read by its content, whatever its name', async (_, bytes, path) => {
  const made = await read(path, bytes).catch((error: Error) => error.message)
  if (typeof made === 'object' && 'large' in made) expect(made.large.includes(SECRET)).toBe(false)
})

test('a picture that is also a page is encoded again', async () => {
  const polyglot = Buffer.concat([png({ width: 20, height: 20 }), Buffer.from('<script>alert(1)</script>')])
  const made = await read('a.png', polyglot)
  expect(made).toMatchObject({ kind: 'picture' })
  expect('large' in made && made.large.includes('script')).toBe(false)
})

test('an svg is text, never a picture', async () => {
  expect(await read('a.svg', Buffer.from('<svg><script>alert(1)</script></svg>'))).toMatchObject({ kind: 'text' })
})

test('of a long text whole characters are kept', async () => {
  const made = await read('a.csv', Buffer.from('岩'.repeat(40_000)))
  const text = 'text' in made ? made.text : Buffer.alloc(0)
  expect(text.length).toBeLessThanOrEqual(PREVIEW_TEXT_MAX)
  expect(text.toString()).toMatch(/^岩+$/)
  expect(await read('a.csv', Buffer.from('岩岩').subarray(0, 5), true)).toMatchObject({ kind: 'text' })
})

test('a file that was cut is only read if its beginning is enough', async () => {
  await expect(read('a.png', png(), true)).rejects.toThrow('too large to be fetched')
  expect(await read('a.uasset', unrealPackage({ body: 10_000 }).subarray(0, -5_000), true)).toMatchObject({ kind: 'picture' })
})

test('a pointer of Git LFS says what it is', async () => {
  await expect(read('a.png', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'))).rejects.toThrow(
    'Git LFS',
  )
})

test('a package without a thumbnail has its names as text, sorted', async () => {
  const made = await read('a.uasset', unrealPackage({ thumbnail: null, names: ['b', 'a', 'b'] }))
  expect('text' in made && made.text.toString()).toBe('a\nb')
})

test('a package with plain pixels is drawn', async () => {
  const pixels = Buffer.alloc(4 * 4 * 4)
  for (let at = 0; at < pixels.length; at += 4) pixels.set([20, 130, 240, 255], at)
  isNear(await firstPixel('a.uasset', unrealPackage({ thumbnail: { image: pixels, width: 4, height: 4 } })), [240, 130, 20])
})

test('a package that cannot be read says so', async () => {
  const bytes = unrealPackage()
  bytes.writeInt32LE(-20, 4)
  await expect(read('a.uasset', bytes)).rejects.toThrow('engine version that is not known yet')
})

describe.each([8, 16, 24, 32])('a sound with %i bits', (bits) => {
  test('has a waveform with its loud and quiet parts', async () => {
    const bytes = wav({ bits })
    const peaks = peaksOf(bytes)
    expect(peaks[100]).toBeLessThan(0.05)
    expect(peaks[1500]).toBeGreaterThan(0.9)
    expect(await read('a.wav', bytes)).toMatchObject({ kind: 'waveform', width: 1600, height: 400 })
  })

  test('never crashes with wrong numbers', () => {
    const bytes = wav({ bits })
    for (let at = 12; at < 44; at++)
      for (const value of [0, 1, 0x80, 0xff]) {
        const wrong = Buffer.from(bytes)
        wrong[at] = value
        try {
          expect(peaksOf(wrong)).toHaveLength(1600)
        } catch (error) {
          expect((error as Error).message).toMatch(/sound/i)
        }
      }
  })
})
