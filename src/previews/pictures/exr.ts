import { NoPreview } from '../made.ts'
import { type DecodedPicture, LIGHT_PIXELS_MAX, tooLarge, ZLIB_RATIO_MAX } from './decoded.ts'
import { COMPRESSIONS, type Compression } from './exr-blocks.ts'
import { toneMapped } from './tone-map.ts'

/** OpenEXR: pictures of light values, as render engines write them. */
export const isExr = (bytes: Buffer): boolean => bytes.length > 8 && bytes.readUInt32LE(0) === 20000630

const TILED = 0x200
const DEEP = 0x800
const PARTS = 0x1000
const HALF = 1
const FLOAT = 2
/** A header has the channels of all layers: a few hundred in large renders. */
const ATTRIBUTES_MAX = 500
const CHANNELS_MAX = 1_000
const NAME_MAX = 255

interface Channel {
  name: string
  type: number
  /** Of its first byte in a row of the picture. */
  at: number
}

interface Head {
  channels: Channel[]
  /** Of all channels. */
  rowBytes: number
  compression: Compression
  width: number
  height: number
  top: number
  /** Where the table of blocks starts. */
  end: number
}

/** The colors of the first layer that has some, else its first channel in gray. */
export function readExr(bytes: Buffer): DecodedPicture {
  const { channels, rowBytes, compression, width, height, top, end } = readHead(bytes)
  const shown = shownOf(channels)
  const rgb = new Float32Array(width * height * 3)
  const blocks = Math.ceil(height / compression.rows)
  const seen = new Uint8Array(blocks)
  for (let i = 0; i < blocks; i++) {
    const from = Number(bytes.readBigUInt64LE(end + 8 * i))
    const row = bytes.readInt32LE(from) - top
    const length = bytes.readInt32LE(from + 4)
    const block = row / compression.rows
    if (!Number.isInteger(block) || block < 0 || block >= blocks || seen[block]) throw new RangeError('exr row')
    seen[block] = 1
    if (length < 0 || from + 8 + length > bytes.length) throw new RangeError('exr block')
    const rows = Math.min(compression.rows, height - row)
    const size = rows * rowBytes
    const packed = bytes.subarray(from + 8, from + 8 + length)
    // What compression would make longer is stored as it is.
    const raw = length === size ? packed : compression.unpack(packed, size)
    if (raw.length !== size) throw new RangeError('exr pixels')
    for (let y = 0; y < rows; y++)
      for (const [i, channel] of shown.entries())
        readRow(raw, y * rowBytes + channel.at, channel.type, rgb.subarray((row + y) * width * 3), i, width)
  }
  return { pixels: toneMapped(rgb), width, height, channels: 3 }
}

function readRow(raw: Buffer, from: number, type: number, rgb: Float32Array, channel: number, width: number) {
  for (let x = 0; x < width; x++)
    rgb[x * 3 + channel] =
      type === HALF
        ? HALVES[raw.readUInt16LE(from + 2 * x)]!
        : type === FLOAT
          ? raw.readFloatLE(from + 4 * x)
          : raw.readUInt32LE(from + 4 * x)
}

const HALVES = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const value =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? Number.POSITIVE_INFINITY
        : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits & 0x8000 ? -value : value
})

/** `R`, `G`, `B`, also of a layer as `Combined.R`; brightness alone; else whatever comes first. */
function shownOf(channels: Channel[]): [Channel, Channel, Channel] {
  const find = (name: string) => channels.find((channel) => channel.name === name)
  for (const { name } of channels.filter(({ name }) => /(?:^|\.)R$/.test(name))) {
    const layer = name.slice(0, -1)
    const colors = ['R', 'G', 'B'].map((color) => find(`${layer}${color}`))
    if (colors.every((color) => color !== undefined)) return colors as [Channel, Channel, Channel]
  }
  const gray = find('Y') ?? channels[0]!
  return [gray, gray, gray]
}

function readHead(bytes: Buffer): Head {
  const flags = bytes.readUInt32LE(4)
  if ((flags & 255) !== 2) throw new RangeError('exr version')
  if (flags & (TILED | DEEP | PARTS))
    throw new NoPreview('OpenEXR files have a preview if they have scan lines and one part. Upload a picture.')
  const { attributes, end } = readAttributes(bytes)
  const attribute = (name: string, size: number) => {
    const value = attributes.get(name)
    if (!value || value.length < size) throw new RangeError(`exr ${name}`)
    return value
  }
  const compression = COMPRESSIONS[attribute('compression', 1)[0]!]
  if (!compression)
    throw new NoPreview('OpenEXR files have a preview if they are not compressed, or with RLE, ZIP or PIZ. Upload a picture.')
  const area = attribute('dataWindow', 16)
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => area.readInt32LE(at)) as [number, number, number, number]
  const [width, height] = [right - left + 1, bottom - top + 1]
  if (width < 1 || height < 1) throw new RangeError('exr size')
  if (width * height > LIGHT_PIXELS_MAX) throw tooLarge(width, height, LIGHT_PIXELS_MAX)
  const { channels, rowBytes } = readChannels(attribute('channels', 1), width)
  // Before memory is reserved.
  if (rowBytes * height > bytes.length * ZLIB_RATIO_MAX) throw new RangeError('exr pixels')
  return {
    channels,
    rowBytes,
    compression: compression(
      channels.map(({ type }) => (type === HALF ? 1 : 2)),
      width,
    ),
    width,
    height,
    top,
    end,
  }
}

function readAttributes(bytes: Buffer) {
  const attributes = new Map<string, Buffer>()
  let at = 8
  for (let i = 0; i < ATTRIBUTES_MAX; i++) {
    const name = textAt(bytes, at)
    at += name.length + 1
    if (name === '') return { attributes, end: at }
    at += textAt(bytes, at).length + 1
    const length = bytes.readInt32LE(at)
    if (length < 0 || at + 4 + length > bytes.length) throw new RangeError('exr attribute')
    attributes.set(name, bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  throw new RangeError('exr attributes')
}

function readChannels(list: Buffer, width: number) {
  const channels: Channel[] = []
  let rowBytes = 0
  for (let at = 0; channels.length < CHANNELS_MAX; ) {
    const name = textAt(list, at)
    at += name.length + 1
    if (name === '') break
    const type = list.readInt32LE(at)
    if (type < 0 || type > FLOAT) throw new RangeError('exr channel')
    if (list.readInt32LE(at + 8) !== 1 || list.readInt32LE(at + 12) !== 1)
      throw new NoPreview('OpenEXR files whose channels have different sizes have no preview. Upload a picture.')
    channels.push({ name, type, at: rowBytes })
    rowBytes += width * (type === HALF ? 2 : 4)
    at += 16
  }
  if (channels.length === 0) throw new RangeError('exr channels')
  return { channels, rowBytes }
}

function textAt(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at)
  if (end < 0 || end - at > NAME_MAX) throw new RangeError('exr name')
  return bytes.toString('latin1', at, end)
}
