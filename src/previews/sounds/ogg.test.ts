import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { oggPage, opusHead, silentOpus, vorbisHead } from '../../../test/support/files/ogg.ts'
import { readFile } from '../read-file.ts'
import { measureOgg } from './ogg.ts'
import { pagesOf } from './ogg-pages.ts'
import { columnsOf } from './peaks.ts'

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url))
const SOUNDS = { Vorbis: fixture('tone.ogg'), Opus: fixture('tone.opus') }

const QUIET = 'quiet'
const LOUD = 'loud'
/** How loud each part of a sound is. */
async function loudness(file: Buffer, parts: number) {
  const columns = columnsOf(await measureOgg(file), parts * 10)
  return Array.from({ length: parts }, (_, i) => {
    // At the boundaries of a part, packets overlap.
    const levels = columns.subarray(i * 10 + 2, i * 10 + 8)
    return levels.every((level) => level > 0.02 && level < 0.2)
      ? QUIET
      : levels.every((level) => level > 0.7 && level < 0.95)
        ? LOUD
        : [...levels]
  })
}
const secondsOf = async (file: Buffer) =>
  (await measureOgg(file)).reduce((seconds, { samples, rate }) => seconds + samples / rate, 0)
/** A file with its pages changed. */
const repaged = (file: Buffer, change: (page: Buffer, i: number, count: number) => Buffer) =>
  Buffer.concat([...pagesOf(file)].map(({ bytes }, i, { length }) => change(Buffer.from(bytes), i, length)))

test.each(Object.entries(SOUNDS))('the waveform of a sound in Ogg %s is high where the sound is loud', async (_, file) => {
  const made = await readFile({ path: 'a.ogg', isCut: false }, file)
  if (!('large' in made)) throw new Error('no picture')
  expect(made).toMatchObject({ kind: 'waveform', source: 'file', width: 1600 })
  const { data, info } = await sharp(made.large).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const heights = [0.17, 0.5, 0.83].map((share) => {
    const x = Math.floor(share * info.width)
    return (
      Array.from({ length: info.height }, (_, y) => data[(y * info.width + x) * 4 + 3]! > 128).filter(Boolean).length /
      info.height
    )
  })
  expect(heights[1]).toBeGreaterThan(0.7)
  for (const i of [0, 2]) expect(heights[i]).toBeLessThan(0.2)
})

test.each(Object.entries(SOUNDS))('a sound in Ogg %s is as long as it plays', async (_, file) => {
  expect(await secondsOf(file)).toBeCloseTo(1.5, 3)
  expect(await loudness(file, 3)).toEqual([QUIET, LOUD, QUIET])
})

test('the loudest channel of surround sound counts', async () => {
  expect(await loudness(fixture('surround.opus'), 2)).toEqual([QUIET, LOUD])
})

test('sounds that are joined in one file follow each other by their time, whatever their rates are', async () => {
  const joined = Buffer.concat([SOUNDS.Vorbis, SOUNDS.Opus, SOUNDS.Vorbis])
  expect(await secondsOf(joined)).toBeCloseTo(4.5, 3)
  expect(await loudness(joined, 9)).toEqual([QUIET, LOUD, QUIET, QUIET, LOUD, QUIET, QUIET, LOUD, QUIET])
})

test('of streams that are mixed in one file, the first sound is drawn', async () => {
  const others = [
    oggPage({ packets: [Buffer.from('\x80theora')], serial: 1, isFirst: true }),
    oggPage({ packets: [opusHead()], serial: 2, isFirst: true }),
  ]
  const [head, ...pages] = [...pagesOf(SOUNDS.Vorbis)].map(({ bytes }) => bytes)
  const between = pages.flatMap((page) => [page, oggPage({ packets: [Buffer.from([0xe3, 48])], serial: 2 })])
  const mixed = Buffer.concat([others[0]!, head!, others[1]!, ...between])
  expect(await secondsOf(mixed)).toBeCloseTo(1.5, 3)
  expect(await loudness(mixed, 3)).toEqual([QUIET, LOUD, QUIET])
})

test('a cut file is drawn up to its last complete page', async () => {
  const lastPageOf = (file: Buffer) => [...pagesOf(file)].at(-1)!.at
  const seconds = await secondsOf(SOUNDS.Opus.subarray(0, lastPageOf(SOUNDS.Opus) + 100))
  expect(seconds).toBeGreaterThan(0.9)
  expect(seconds).toBeLessThan(1.5)
  const joined = Buffer.concat([SOUNDS.Vorbis, SOUNDS.Vorbis.subarray(0, lastPageOf(SOUNDS.Vorbis) + 100)])
  expect(await secondsOf(joined)).toBeCloseTo(1.5, 3)
})

test.each(Object.entries(SOUNDS))('what a file in Ogg %s claims about its length does not count', async (_, file) => {
  const claiming = repaged(file, (page, i, count) => {
    if (i === count - 1) page.writeBigInt64LE(10n ** 15n, 6)
    return page
  })
  expect(await secondsOf(claiming)).toBeLessThan(1.6)
  expect(await loudness(claiming, 3)).toEqual([QUIET, LOUD, QUIET])
})

test('damaged packets are skipped, and nothing is written to the log', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const damaged = (file: Buffer) =>
    repaged(file, (page, i, count) => (i === count - 1 ? page : i < 2 ? page : page.fill(255, 300, 600)))
  for (const file of [SOUNDS.Opus, SOUNDS.Vorbis]) expect(await secondsOf(damaged(file))).toBeGreaterThan(0.5)
  expect(log).not.toHaveBeenCalled()
  log.mockRestore()
})

const joined = (count: number) => Buffer.concat(Array.from({ length: count }, (_, i) => silentOpus({ minutes: 0.5, serial: i })))

test('an hour and many joined sounds are drawn', async () => {
  expect(await secondsOf(silentOpus({ minutes: 61 }))).toBeCloseTo(61 * 60, 0)
  expect(await measureOgg(joined(50))).toHaveLength(50)
})

test.each([
  ['that lasts hours in few bytes', silentOpus({ minutes: 121 }), /too long for a waveform: over an hour/],
  ['with more than fifty sounds', joined(51), /too many sounds/],
  ['with 255 channels in Vorbis', oggPage({ packets: [vorbisHead({ channels: 255 })], isFirst: true }), /too many channels/],
  ['with 255 channels in Opus', oggPage({ packets: [opusHead({ channels: 255 })], isFirst: true }), /too many channels/],
  ['without samples', silentOpus({}), /empty, damaged or cut off/],
  ['cut within its setup', SOUNDS.Vorbis.subarray(0, 500), /empty, damaged or cut off/],
  ['with a codec that is not read', oggPage({ packets: [Buffer.from('\x7fFLAC')], isFirst: true }), /Vorbis or Opus/],
  ['with a head and nothing else', Buffer.from('OggS'), /Vorbis or Opus/],
])('a file %s says why it has no waveform', async (_, file, reason) => {
  await expect(readFile({ path: 'a.ogg', isCut: false }, file)).rejects.toThrow(reason)
})

test('a sound that is too large to be fetched has no waveform of its beginning', async () => {
  await expect(readFile({ path: 'a.ogg', isCut: true }, SOUNDS.Vorbis)).rejects.toThrow(/too large to be fetched/)
})
