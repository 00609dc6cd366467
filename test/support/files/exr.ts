import { deflateSync } from 'node:zlib'

type Light = readonly [number, number, number]
export const EXR_COMPRESSIONS = { none: 0, rle: 1, zips: 2, zip: 3, piz: 4 } as const

export interface ExrOptions {
  light?: (x: number, y: number) => Light
  compression?: keyof typeof EXR_COMPRESSIONS
  pixel?: 'half' | 'float'
  width?: number
  height?: number
  /** What the header says instead. */
  claimed?: [number, number]
  flags?: number
}

const int = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeInt32LE(value, 4 * i)
  return bytes
}
const text = (value: string) => Buffer.from(`${value}\0`, 'latin1')
const attribute = (name: string, type: string, value: Buffer) => Buffer.concat([text(name), text(type), int(value.length), value])

/** Positive numbers that a half can hold. */
export function halfOf(value: number): number {
  if (value <= 0) return 0
  const exponent = Math.max(-14, Math.floor(Math.log2(value)))
  return ((exponent + 15) << 10) | Math.round((value / 2 ** exponent - 1) * 1024)
}

/** A picture with scan lines, in the channels B, G and R. */
export function exr({
  light = () => [1, 1, 1],
  compression = 'zip',
  pixel = 'half',
  width = 8,
  height = 6,
  claimed = [width, height],
  flags = 0,
}: ExrOptions = {}): Buffer {
  const window = int(-2, 3, claimed[0] - 3, claimed[1] + 2)
  const channels = ['B', 'G', 'R'].map((name) => Buffer.concat([text(name), int(pixel === 'half' ? 1 : 2, 0, 1, 1)]))
  const head = Buffer.concat([
    int(20000630, 2 | flags),
    attribute('channels', 'chlist', Buffer.concat([...channels, Buffer.from([0])])),
    attribute('compression', 'compression', Buffer.from([EXR_COMPRESSIONS[compression]])),
    attribute('dataWindow', 'box2i', window),
    attribute('displayWindow', 'box2i', window),
    attribute('lineOrder', 'lineOrder', Buffer.from([0])),
    Buffer.from([0]),
  ])
  const rowsOfBlock = { none: 1, rle: 1, zips: 1, zip: 16, piz: 32 }[compression]
  const blocks: Buffer[] = []
  for (let y = 0; y < height; y += rowsOfBlock) {
    const rows = Math.min(rowsOfBlock, height - y)
    const raw = Buffer.concat(Array.from({ length: rows }, (_, i) => rowOf(light, y + i, width, pixel)))
    const packed = compression === 'piz' ? piz(raw, rows, width, pixel === 'half' ? 1 : 2) : PACKED[compression](raw)
    const data = packed.length < raw.length ? packed : raw
    blocks.push(Buffer.concat([int(y + 3, data.length), data]))
  }
  const table = Buffer.alloc(8 * blocks.length)
  let at = head.length + table.length
  for (const [i, block] of blocks.entries()) {
    table.writeBigUInt64LE(BigInt(at), 8 * i)
    at += block.length
  }
  return Buffer.concat([head, table, ...blocks])
}

function rowOf(light: (x: number, y: number) => Light, y: number, width: number, pixel: 'half' | 'float') {
  const size = pixel === 'half' ? 2 : 4
  const row = Buffer.alloc(3 * width * size)
  for (const [place, channel] of [2, 1, 0].entries())
    for (let x = 0; x < width; x++) {
      const value = light(x, y)[channel]!
      if (pixel === 'half') row.writeUInt16LE(halfOf(value), (place * width + x) * size)
      else row.writeFloatLE(value, (place * width + x) * size)
    }
  return row
}

/** Even bytes before odd ones, as differences. */
function differences(raw: Buffer): Buffer {
  const halves = Buffer.from([...raw.filter((_, i) => i % 2 === 0), ...raw.filter((_, i) => i % 2 === 1)])
  return Buffer.from(halves.map((value, i) => (i === 0 ? value : value - halves[i - 1]! + 128)))
}

function runs(bytes: Buffer): Buffer {
  const out: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let run = 1
    while (run < 127 && bytes[at + run] === bytes[at]) run++
    if (run > 2) out.push(run - 1, bytes[at]!)
    else out.push(256 - run, ...bytes.subarray(at, at + run))
    at += run
  }
  return Buffer.from(out)
}

const PACKED = {
  none: (raw: Buffer) => raw,
  rle: (raw: Buffer) => runs(differences(raw)),
  zips: (raw: Buffer) => deflateSync(differences(raw)),
  zip: (raw: Buffer) => deflateSync(differences(raw)),
}

/** Values are numbered, transformed and written as codes of one length. */
function piz(raw: Buffer, rows: number, width: number, words: number): Buffer {
  const row = 3 * width * words
  const planes: number[] = []
  for (let channel = 0; channel < 3; channel++)
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < width * words; x++) planes.push(raw.readUInt16LE(2 * (y * row + channel * width * words + x)))
  const list = [...new Set([0, ...planes])].sort((a, b) => a - b)
  const map = Buffer.alloc(8192)
  for (const value of list) map[value >> 3]! |= 1 << (value & 7)
  // 0 has a number without being in the map.
  map[0]! &= 0xfe
  const used = [...map.entries()].filter(([, byte]) => byte !== 0).map(([i]) => i)
  const [first, last] = used.length > 0 ? [used[0]!, used.at(-1)!] : [8191, 0]
  const places = new Map(list.map((value, i) => [value, i]))
  const numbers = Uint16Array.from(planes, (value) => places.get(value)!)
  const size = width * rows * words
  for (let channel = 0; channel < 3; channel++)
    for (let word = 0; word < words; word++)
      wavelets(numbers.subarray(channel * size + word), { width, rows, stepX: words, stepY: width * words }, list.length - 1)
  const range = Buffer.alloc(4)
  range.writeUInt16LE(first, 0)
  range.writeUInt16LE(last, 2)
  const codes = codesOf(numbers)
  return Buffer.concat([range, map.subarray(first, last + 1), int(codes.length), codes])
}

interface Plane {
  width: number
  rows: number
  stepX: number
  stepY: number
}

function wavelets(plane: Uint16Array, { width, rows, stepX, stepY }: Plane, largest: number) {
  const isSmall = largest < 1 << 14
  const signed = (value: number) => (value << 16) >> 16
  const pair = (a: number, b: number) => {
    const [first, second] = [plane[a]!, plane[b]!]
    if (isSmall) {
      plane[a] = (signed(first) + signed(second)) >> 1
      plane[b] = signed(first) - signed(second)
    } else {
      const moved = (first + 0x8000) & 0xffff
      const [mean, difference] = [(moved + second) >> 1, moved - second]
      plane[a] = difference < 0 ? (mean + 0x8000) & 0xffff : mean
      plane[b] = difference & 0xffff
    }
  }
  for (let half = 1; half * 2 <= Math.min(width, rows); half *= 2) {
    const [x1, y1, whole] = [half * stepX, half * stepY, half * 2]
    let y = 0
    for (; y + whole <= rows; y += whole) {
      let x = 0
      for (; x + whole <= width; x += whole) {
        const at = y * stepY + x * stepX
        pair(at, at + x1)
        pair(at + y1, at + x1 + y1)
        pair(at, at + y1)
        pair(at + x1, at + x1 + y1)
      }
      if (width & half) pair(y * stepY + x * stepX, y * stepY + x * stepX + y1)
    }
    if (rows & half) for (let x = 0; x + whole <= width; x += whole) pair(y * stepY + x * stepX, y * stepY + x * stepX + x1)
  }
}

/** Runs of a number are a code of their own with a count. */
function codesOf(numbers: Uint16Array): Buffer {
  const symbols = [...new Set(numbers)].sort((a, b) => a - b)
  const [first, repeat] = [symbols[0]!, symbols.at(-1)! + 1]
  const length = Math.max(1, Math.ceil(Math.log2(symbols.length + 1)))
  const code = new Map([...symbols, repeat].map((symbol, i) => [symbol, i]))
  let [lengths, data] = ['', '']
  const bits = (value: number, count: number) => value.toString(2).padStart(count, '0')
  for (let symbol = first; symbol <= repeat; ) {
    let zeros = 0
    while (symbol + zeros <= repeat && !code.has(symbol + zeros) && zeros < 261) zeros++
    if (zeros >= 6) lengths += bits(63, 6) + bits(zeros - 6, 8)
    else if (zeros >= 2) lengths += bits(57 + zeros, 6)
    else lengths += bits(zeros === 1 ? 0 : length, 6)
    symbol += Math.max(1, zeros)
  }
  for (let at = 0; at < numbers.length; ) {
    let run = 0
    while (run < 255 && at + 1 + run < numbers.length && numbers[at + 1 + run] === numbers[at]) run++
    data += bits(code.get(numbers[at]!)!, length)
    if (run > 3) data += bits(code.get(repeat)!, length) + bits(run, 8)
    at += run > 3 ? run + 1 : 1
  }
  return Buffer.concat([int(first, repeat, 0, data.length, 0), bytesOf(lengths), bytesOf(data)])
}

const bytesOf = (bits: string) =>
  Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
