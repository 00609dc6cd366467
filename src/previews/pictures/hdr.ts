import { type DecodedPicture, LIGHT_PIXELS_MAX, tooLarge } from './decoded.ts'
import { toneMapped } from './tone-map.ts'

/** Radiance pictures: three mantissas with one exponent. */
export const isHdr = (bytes: Buffer): boolean => /^#\?(?:RADIANCE|RGBE)/.test(bytes.toString('latin1', 0, 10))

const HEADER_MAX = 8_192

export function readHdr(bytes: Buffer): DecodedPicture {
  const head = bytes.toString('latin1', 0, HEADER_MAX)
  const [line, signY, rows, signX, columns] = /\n\n([-+])Y (\d{1,6}) ([-+])X (\d{1,6})\n/.exec(head) ?? []
  if (line === undefined) throw new RangeError('hdr header')
  const [width, height] = [Number(columns), Number(rows)]
  if (width * height > LIGHT_PIXELS_MAX) throw tooLarge(width, height, LIGHT_PIXELS_MAX)
  // Before memory is reserved: a run has at most 127 values.
  if (bytes.length * 64 < width * height * 4) throw new RangeError('hdr pixels')
  const rgb = new Float32Array(width * height * 3)
  const scanline = Buffer.alloc(width * 4)
  let at = head.indexOf(line) + line.length
  for (let y = 0; y < height; y++) {
    at = readScanline(bytes, at, scanline, width)
    const row = signY === '-' ? y : height - 1 - y
    for (let x = 0; x < width; x++) {
      const [from, to] = [x * 4, (row * width + (signX === '+' ? x : width - 1 - x)) * 3]
      const exponent = scanline[from + 3]!
      const scale = exponent === 0 ? 0 : 2 ** (exponent - 136)
      for (let i = 0; i < 3; i++) rgb[to + i] = scanline[from + i]! * scale
    }
  }
  return { pixels: toneMapped(rgb), width, height, channels: 3 }
}

/** Four runs of bytes, one for each channel, or plain pixels. Returns where the next one starts. */
function readScanline(bytes: Buffer, start: number, scanline: Buffer, width: number): number {
  let at = start
  const isPacked = bytes[at] === 2 && bytes[at + 1] === 2 && bytes[at + 2]! < 128
  if (!isPacked) {
    if (at + width * 4 > bytes.length) throw new RangeError('hdr pixels')
    bytes.copy(scanline, 0, at, at + width * 4)
    return at + width * 4
  }
  if (bytes.readUInt16BE(at + 2) !== width) throw new RangeError('hdr width')
  at += 4
  for (let channel = 0; channel < 4; channel++)
    for (let x = 0; x < width; ) {
      const code = bytes[at++]
      const run = code === undefined ? 0 : code > 128 ? code - 128 : code
      if (run === 0 || x + run > width || at >= bytes.length) throw new RangeError('hdr run')
      for (let i = 0; i < run; i++) scanline[(x + i) * 4 + channel] = bytes[code! > 128 ? at : at + i] ?? 0
      at += code! > 128 ? 1 : run
      x += run
    }
  return at
}
