import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { ENGINES, type Engine, offsetOfThumbnails, unrealPackage } from '../../../test/support/files/unreal-packages.ts'
import { isPackage, readPackage } from './package.ts'

const engines = Object.keys(ENGINES) as Engine[]
const jpeg = await sharp({ create: { width: 256, height: 256, channels: 3, background: '#840' } })
  .jpeg()
  .toBuffer()

describe.each(engines)('a package of %s', (engine) => {
  test('has its thumbnail and its names', () => {
    const bytes = unrealPackage({ engine, names: ['Texture2D', 'T_Größe', '岩'] })
    expect(isPackage(bytes)).toBe(true)
    expect(readPackage(bytes)).toMatchObject({
      thumbnail: { width: 256, height: 256 },
      names: ['Texture2D', 'T_Größe', '岩'],
    })
    expect(readPackage(bytes).thumbnail!.image.subarray(1, 4).toString()).toBe('PNG')
  })

  test('has a jpeg thumbnail, which its negative height marks', () => {
    const { thumbnail } = readPackage(unrealPackage({ engine, thumbnail: { image: jpeg, width: 256, height: -256 } }))
    expect(thumbnail).toMatchObject({ width: 256, height: 256 })
    expect(thumbnail!.image.equals(jpeg)).toBe(true)
  })

  test('was saved without a thumbnail', () => {
    expect(readPackage(unrealPackage({ engine, thumbnail: null }))).toMatchObject({ thumbnail: undefined, names: { length: 3 } })
  })

  test('is read from its first bytes, as far as they go', () => {
    const bytes = unrealPackage({ engine, body: 1_000_000 })
    expect(readPackage(bytes.subarray(0, bytes.length - 1_000_000)).thumbnail).toBeDefined()
    const whole = bytes.length - 1_000_000
    for (let end = 4; end < whole; end += 7) {
      const cut = () => readPackage(bytes.subarray(0, end))
      try {
        expect(cut().thumbnail).toBe(undefined)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })

  test('is never more than a RangeError, whatever its numbers say', () => {
    const bytes = unrealPackage({ engine })
    for (let at = 4; at < 500; at++)
      for (const value of [-1, 0x7fffffff, -0x80000000, 1, bytes.length - 2]) {
        const lying = Buffer.from(bytes)
        lying.writeInt32LE(value, at)
        try {
          const { thumbnail, names } = readPackage(lying)
          expect(thumbnail?.image.length ?? 0).toBeLessThan(bytes.length)
          expect(names.length).toBeLessThanOrEqual(200_000)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
  })
})

/** Of each field that a version added or removed: the last version without it, and the first with it. */
test.each([
  ...[383, 384, 458, 459, 503, 504, 509, 510, 515, 516].map((version) => [-7, version, 0] as const),
  ...[1007, 1008, 1013, 1014, 1015].map((version5) => [-8, 522, version5] as const),
  [-9, 522, 1016],
] as const)('a package of layout %i and the versions %i and %i has its thumbnail and its names', (layout, version, version5) => {
  const bytes = unrealPackage({ versions: { layout, version, version5 }, names: ['Texture2D', 'T_Rock'] })
  expect(readPackage(bytes)).toMatchObject({ thumbnail: { width: 256 }, names: ['Texture2D', 'T_Rock'] })
})

test.each([
  ['before the file', -5],
  ['in the summary', 8],
  ['at the last byte', -1],
  ['far beyond the file', 0x7fffffff],
])('thumbnails %s are none', (_, offset) => {
  const bytes = unrealPackage()
  const lying = Buffer.from(bytes)
  lying.writeInt32LE(offset === -1 ? bytes.length - 1 : offset, offsetOfThumbnails(bytes))
  try {
    expect(readPackage(lying).thumbnail).toBe(undefined)
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
  }
})

test('a table of a billion thumbnails is refused at once', () => {
  const bytes = unrealPackage()
  bytes.writeInt32LE(1_000_000_000, bytes.readInt32LE(offsetOfThumbnails(bytes)))
  expect(() => readPackage(bytes)).toThrow(RangeError)
})

test('a package of an unknown later layout is refused', () => {
  const bytes = unrealPackage()
  bytes.writeInt32LE(-10, 4)
  expect(() => readPackage(bytes)).toThrow('layout -10')
})
