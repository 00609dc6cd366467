import { PICTURE_PIXELS_MAX } from '../../contract/limits.ts'
import { type DecodedPicture, tooLarge } from './decoded.ts'

/** The types of pictures without and with run lengths: color map, color, gray. */
const TYPES = new Set([1, 2, 3, 9, 10, 11])

/** TGA has no mark at its start: its fields must make sense, and its name must say what it is. */
export const isTga = (bytes: Buffer, path: string): boolean =>
  /\.tga$/i.test(path) && bytes.length > 18 && bytes[1]! <= 1 && TYPES.has(bytes[2]!)

export function readTga(bytes: Buffer): DecodedPicture {
  const [type, depth] = [bytes[2]!, bytes[16]!]
  const [width, height] = [bytes.readUInt16LE(12), bytes.readUInt16LE(14)]
  if (width * height > PICTURE_PIXELS_MAX) throw tooLarge(width, height)
  const map = { first: bytes.readUInt16LE(3), length: bytes.readUInt16LE(5), depth: bytes[7]! }
  const mapAt = 18 + bytes[0]!
  const mapBytes = bytes[1] ? map.length * Math.ceil(map.depth / 8) : 0
  const isMapped = type === 1 || type === 9
  const isGray = type === 3 || type === 11
  const size = Math.ceil(depth / 8)
  if (width === 0 || height === 0 || ![1, 2, 3, 4].includes(size)) throw new RangeError('tga header')
  // Before memory is reserved: a packet has at most 128 pixels.
  if ((bytes.length * 128) / size < width * height) throw new RangeError('tga pixels')
  const raw = type >= 9 ? unpack(bytes, mapAt + mapBytes, width * height, size) : bytes.subarray(mapAt + mapBytes)
  if (raw.length < width * height * size) throw new RangeError('tga pixels')
  const pixels = Buffer.alloc(width * height * 4)
  const isTopDown = (bytes[17]! & 0x20) !== 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * size
      const to = ((isTopDown ? y : height - 1 - y) * width + x) * 4
      if (isMapped) {
        const entry = (size === 1 ? raw[from]! : raw.readUInt16LE(from)) - map.first
        if (entry < 0 || entry >= map.length) continue
        color(bytes, mapAt + entry * Math.ceil(map.depth / 8), Math.ceil(map.depth / 8), pixels, to)
      } else if (isGray) pixels.fill(raw[from]!, to, to + 3).fill(255, to + 3, to + 4)
      else color(raw, from, size, pixels, to)
    }
  // Many tools write an empty alpha channel for opaque pictures.
  if (!isTransparent(pixels)) for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255
  return { pixels, width, height, channels: 4 }
}

/** BGR, BGRA or five bits each. */
function color(bytes: Buffer, from: number, size: number, pixels: Buffer, to: number) {
  if (size === 2) {
    const value = bytes.readUInt16LE(from)
    for (let i = 0; i < 3; i++) pixels[to + i] = (((value >> (10 - 5 * i)) & 31) * 255) / 31
    pixels[to + 3] = 255
    return
  }
  pixels[to] = bytes[from + 2]!
  pixels[to + 1] = bytes[from + 1]!
  pixels[to + 2] = bytes[from]!
  pixels[to + 3] = size === 4 ? bytes[from + 3]! : 255
}

function isTransparent(pixels: Buffer): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) return true
  return false
}

/** Packets of equal or of different pixels. The output is as large as the header says, never larger. */
function unpack(bytes: Buffer, start: number, count: number, size: number): Buffer {
  const out = Buffer.alloc(count * size)
  let [from, to] = [start, 0]
  while (to < out.length) {
    const packet = bytes[from++]
    if (packet === undefined) throw new RangeError('tga packet')
    const length = Math.min(((packet & 127) + 1) * size, out.length - to)
    const taken = packet & 128 ? size : length
    if (from + taken > bytes.length) throw new RangeError('tga packet')
    if (packet & 128) out.fill(bytes.subarray(from, from + size), to, to + length)
    else bytes.copy(out, to, from, from + length)
    from += taken
    to += length
  }
  return out
}
