import { describe, expect, test } from 'vitest'
import { gif, jpeg, personalChunks, png, SECRET, webp } from '../../../test/support/files/pictures.ts'
import { isPicture, nameOf, readContent } from './content.ts'

const refusal = (bytes: Buffer) => {
  try {
    readContent(bytes)
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'accepted'
}

describe.each([
  ['image/png', png({ more: personalChunks() }), { width: 3, height: 2 }],
  ['image/jpeg', jpeg(), { width: 4, height: 5 }],
  ['image/gif', gif(), { width: 2, height: 1 }],
  ['image/webp', webp(), { width: 7, height: 8 }],
])('%s', (type, bytes, size) => {
  test('is recognized by its content and loses its personal data', () => {
    const read = readContent(bytes)
    expect(read).toMatchObject({ type, ...size })
    expect(bytes.includes(SECRET)).toBe(true)
    expect(read.bytes.includes('Kim')).toBe(false)
    expect(read.bytes.length).toBeLessThan(bytes.length)
  })

  test('stays the same when it is read again', () => {
    const once = readContent(bytes)
    expect(readContent(once.bytes)).toEqual(once)
  })

  test('is refused wherever it is cut off, and never crashes', () => {
    const { bytes: whole } = readContent(bytes)
    for (let end = 12; end < whole.length; end++)
      expect(['damaged_picture', 'accepted'], `${end} of ${whole.length}`).toContain(refusal(whole.subarray(0, end)))
    expect(refusal(whole.subarray(0, whole.length - 6))).toBe('damaged_picture')
  })

  test('never crashes with a wrong byte', () => {
    for (let at = 8; at < bytes.length; at++)
      for (const value of [0, 0x7f, 0xff]) {
        const wrong = Buffer.from(bytes)
        wrong[at] = value
        expect(['damaged_picture', 'picture_too_large', 'accepted'], `${value} at ${at}`).toContain(refusal(wrong))
      }
  })
})

test.each([
  ['video/mp4', ['isom', 'iso2', 'avc1']],
  ['video/mp4', ['mp42', 'M4A ']],
  ['video/quicktime', ['qt  ']],
  ['audio/mp4', ['M4A ', 'mp42']],
  ['image/heic', ['heic', 'mif1']],
  ['image/heic', ['mif1', 'heic']],
  ['image/avif', ['avif', 'mif1']],
  ['image/avif', ['mif1', 'avif']],
  ['application/octet-stream', ['crx ', 'isom']],
])('a file of type %s is recognized by its brands %s', (type, [main, ...others]) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(16 + 4 * others.length)
  const box = Buffer.concat([head, Buffer.from(`ftyp${main}\0\0\0\x01${others.join('')}`, 'latin1')])
  // What follows the box is no brand.
  expect(readContent(Buffer.concat([box, Buffer.from('\0\0\0\x0cavifavifavif', 'latin1')])).type).toBe(type)
})

test('the chunks of a png that change how it looks stay', () => {
  expect(readContent(png({ more: personalChunks() })).bytes.includes('pHYs')).toBe(true)
  expect(readContent(png()).bytes).toEqual(png())
})

test('a jpeg keeps its color profile and how the camera was held, and nothing else of its EXIF data', () => {
  const { bytes } = readContent(jpeg({ orientation: 6 }))
  expect(bytes.includes('ICC_PROFILE')).toBe(true)
  expect(bytes.includes('JFIF')).toBe(true)
  const at = bytes.indexOf('Exif\0\0')
  expect(bytes.readUInt16BE(at - 2)).toBe(34)
  expect(bytes.readUInt16BE(at + 6 + 18)).toBe(6)
  expect(readContent(jpeg({ orientation: 1 })).bytes.includes('Exif')).toBe(false)
  expect(readContent(jpeg({ orientation: 900 })).bytes.includes('Exif')).toBe(false)
  // Both scans with their restart marker are there.
  expect(bytes.includes(Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]))).toBe(true)
  expect(bytes.subarray(-4)).toEqual(Buffer.from([5, 6, 0xff, 0xd9]))
})

test('a webp no longer announces the data that was removed', () => {
  const { bytes } = readContent(webp())
  expect(bytes[20]).toBe(0x20)
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  expect(bytes.includes('ICCP')).toBe(true)
})

test('a gif still repeats', () => {
  expect(readContent(gif()).bytes.includes('NETSCAPE2.0')).toBe(true)
})

test('a picture that a browser could not hold in memory is refused', () => {
  expect(refusal(png({ claimed: [100_000, 100_000] }))).toBe('picture_too_large')
  expect(refusal(png({ claimed: [10_000, 10_001] }))).toBe('picture_too_large')
  expect(refusal(png({ claimed: [10_000, 10_000] }))).toBe('accepted')
  expect(refusal(jpeg({ width: 65_000, height: 65_000 }))).toBe('picture_too_large')
  expect(refusal(webp({ width: 16_777_216, height: 16_777_216 }))).toBe('picture_too_large')
  expect(refusal(png({ claimed: [0, 5] }))).toBe('damaged_picture')
})

test.each([
  ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'text/plain'],
  ['<!doctype html><script>alert(1)</script>', 'text/plain'],
  ['%PDF-1.7 /JavaScript', 'application/pdf'],
  ['PK\x03\x04…', 'application/zip'],
  ['\x1f\x8b\x08', 'application/gzip'],
  ['\x1a\x45\xdf\xa3', 'video/webm'],
  ['\0\0\0\x20ftypisom', 'video/mp4'],
  ['\xc1\x83\x2a\x9e', 'application/octet-stream'],
  ['a\0b', 'application/octet-stream'],
])('%j is a file of the type %s, which is not shown in the page', (text, type) => {
  const { type: read, ...rest } = readContent(Buffer.from(text, 'latin1'))
  expect(read).toBe(type)
  expect(rest).toMatchObject({ width: null, height: null })
  expect(isPicture(read)).toBe(false)
})

test.each([
  ['shot.png', 'shot.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\kim\\shot.png', 'shot.png'],
  ['a\r\nset-cookie: b', 'aset-cookie: b'],
  ['invoice\u202egnp.exe', 'invoicegnp.exe'],
  ['', 'file'],
  ['..', '..'],
  ['/', 'file'],
  ['スクリーン.png', 'スクリーン.png'],
])('the name %j becomes %j', (given, name) => expect(nameOf(given)).toBe(name))

test('a long name is cut', () => expect(nameOf('x'.repeat(5_000))).toHaveLength(200))
