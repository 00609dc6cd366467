import { createInflate } from 'node:zlib'
import { PICTURE_PIXELS_MAX } from '../../contract/limits.ts'
import { NoPreview } from '../made.ts'
import { type DecodedPicture, tooLarge, ZLIB_RATIO_MAX } from './decoded.ts'

/** Photoshop files, also large ones (psb). */
export const isPsd = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === '8BPS' && bytes.length > 26 && [1, 2].includes(bytes.readUInt16BE(4))

const GRAY = 1
const RGB = 3

/** How the composite is compressed; 2 is zlib without differences. */
const PLAIN = 0
const PACKED = 1
const ZIPPED_DIFFERENCES = 3

/** The composite of all layers, which Photoshop saves at the end for other programs. */
export async function readPsd(bytes: Buffer): Promise<DecodedPicture> {
  const isLarge = bytes.readUInt16BE(4) === 2
  const channels = bytes.readUInt16BE(12)
  const [height, width] = [bytes.readUInt32BE(14), bytes.readUInt32BE(18)]
  const [depth, mode] = [bytes.readUInt16BE(22), bytes.readUInt16BE(24)]
  if (width * height > PICTURE_PIXELS_MAX) throw tooLarge(width, height)
  if (width === 0 || height === 0) throw new RangeError('psd size')
  const used = mode === RGB ? 3 : 1
  if (![GRAY, RGB].includes(mode) || ![8, 16].includes(depth) || channels < used || channels > 56)
    throw new NoPreview('Photoshop files have a preview if they are RGB or grayscale with 8 or 16 bits. Upload a picture.')
  let at = 26
  for (const isLayers of [false, false, true]) {
    const wide = isLarge && isLayers
    at += wide ? 8 + Number(bytes.readBigUInt64BE(at)) : 4 + bytes.readUInt32BE(at)
  }
  const compression = bytes.readUInt16BE(at)
  at += 2
  const row = (width * depth) / 8
  const size = row * height * used
  // Before memory is reserved: the length of each row comes first, and no compression is better than these.
  const zipped = size / ZLIB_RATIO_MAX
  const least = [size, height * channels * (isLarge ? 4 : 2) + size / 64, zipped, zipped][compression]
  if (least === undefined || at + least > bytes.length) throw new RangeError('psd pixels')
  const planes = Buffer.alloc(width * height * used)
  if (compression === PACKED) readPacked(bytes, at, { rows: height, channels, used, row, isLarge }, planes, depth)
  else if (compression === PLAIN)
    for (let y = 0; y < height * used; y++) copyRow(bytes.subarray(at + y * row, at + (y + 1) * row), planes, y * width, depth)
  else
    await readZipped(
      bytes.subarray(at),
      { rows: height * used, row, hasDifferences: compression === ZIPPED_DIFFERENCES },
      planes,
      depth,
    )
  return { pixels: used === 1 ? planes : interleaved(planes, width * height), width, height, channels: used }
}

interface Packing {
  rows: number
  channels: number
  used: number
  row: number
  isLarge: boolean
}

/** PackBits, row by row; the lengths of all rows come first. A row is never longer than it should be. */
function readPacked(
  bytes: Buffer,
  start: number,
  { rows, channels, used, row, isLarge }: Packing,
  planes: Buffer,
  depth: number,
) {
  const size = isLarge ? 4 : 2
  const unpacked = Buffer.alloc(row)
  const width = (row * 8) / depth
  let at = start + rows * channels * size
  for (let y = 0; y < rows * used; y++) {
    const length = isLarge ? bytes.readUInt32BE(start + y * size) : bytes.readUInt16BE(start + y * size)
    if (at + length > bytes.length) throw new RangeError('psd row')
    unpackBits(bytes.subarray(at, at + length), unpacked.fill(0))
    copyRow(unpacked, planes, y * width, depth)
    at += length
  }
}

function unpackBits(from: Buffer, to: Buffer) {
  for (let [at, done] = [0, 0]; at < from.length && done < to.length; ) {
    const code = from.readInt8(at++)
    if (code === -128) continue
    const run = Math.min(code < 0 ? 1 - code : 1 + code, to.length - done)
    if (code < 0) to.fill(from[at++] ?? 0, done, done + run)
    else at += from.copy(to, done, at, at + run)
    done += run
  }
}

interface Zipping {
  rows: number
  row: number
  hasDifferences: boolean
}

/** One zlib stream of all channels. What follows the rows that are shown is never inflated. */
async function readZipped(bytes: Buffer, { rows, row, hasDifferences }: Zipping, planes: Buffer, depth: number) {
  const unpacked = Buffer.alloc(row)
  const width = (row * 8) / depth
  let [y, filled] = [0, 0]
  const inflate = createInflate({ chunkSize: 256 * 1024 })
  inflate.end(bytes)
  for await (const part of inflate as AsyncIterable<Buffer>)
    for (let at = 0; at < part.length; ) {
      const taken = part.copy(unpacked, filled, at)
      at += taken
      filled += taken
      if (filled < row) continue
      if (hasDifferences) addDifferences(unpacked, depth)
      copyRow(unpacked, planes, y * width, depth)
      if (++y === rows) return
      filled = 0
    }
  throw new RangeError('psd pixels')
}

/** Each value is stored as its difference from the one to its left. */
function addDifferences(row: Buffer, depth: number) {
  if (depth === 8) for (let x = 1; x < row.length; x++) row[x] = row[x]! + row[x - 1]!
  else
    for (let [x, value] = [0, 0]; x < row.length; x += 2) {
      value += row[x]! * 256 + row[x + 1]!
      row[x] = value >> 8
      row[x + 1] = value
    }
}

/** Of 16 bits, the high ones. */
function copyRow(row: Buffer, planes: Buffer, to: number, depth: number) {
  if (depth === 8) row.copy(planes, to)
  else for (let x = 0; x < row.length / 2; x++) planes[to + x] = row[2 * x]!
}

function interleaved(planes: Buffer, count: number): Buffer {
  const pixels = Buffer.alloc(count * 3)
  for (let at = 0; at < count; at++) for (let i = 0; i < 3; i++) pixels[at * 3 + i] = planes[i * count + at]!
  return pixels
}
