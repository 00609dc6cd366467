import { deflateSync } from 'node:zlib'

/** Small files of formats that game tools write: one color, 8 × 6 pixels. */
type Color = readonly [number, number, number]
const [WIDTH, HEIGHT] = [8, 6]

export function tga({
  color = [0, 0, 0] as Color,
  /** Of the row below all others, if it differs. */
  bottom = undefined as Color | undefined,
  packed = false,
  topDown = false,
  claimed = [WIDTH, HEIGHT] as [number, number],
} = {}): Buffer {
  const head = Buffer.alloc(18)
  head[2] = packed ? 10 : 2
  head.writeUInt16LE(claimed[0], 12)
  head.writeUInt16LE(claimed[1], 14)
  head[16] = 24
  head[17] = topDown ? 0x20 : 0
  const rowOf = ([r, g, b]: Color) => {
    const pixel = Buffer.from([b, g, r])
    return packed ? Buffer.concat([Buffer.from([0x80 | (WIDTH - 1)]), pixel]) : Buffer.alloc(WIDTH * 3, pixel)
  }
  const rows = Array.from({ length: HEIGHT }, (_, y) => rowOf(bottom && y === HEIGHT - 1 ? bottom : color))
  return Buffer.concat([head, ...(topDown ? rows : rows.toReversed())])
}

export function psd({
  color = [0, 0, 0] as Color,
  packed = false,
  zipped = undefined as 'values' | 'differences' | undefined,
  depth = 8,
  /** The low byte of 16 bits. */
  low = undefined as number | undefined,
  /** How much each value is above the one to its left. */
  step = 0,
  large = false,
  /** Pixels of further channels. */
  after = Buffer.alloc(0),
  claimed = [WIDTH, HEIGHT] as [number, number],
} = {}): Buffer {
  const head = Buffer.alloc(26)
  head.write('8BPS', 'latin1')
  head.writeUInt16BE(large ? 2 : 1, 4)
  head.writeUInt16BE(after.length > 0 ? 56 : 3, 12)
  head.writeUInt32BE(claimed[1], 14)
  head.writeUInt32BE(claimed[0], 18)
  head.writeUInt16BE(depth, 22)
  head.writeUInt16BE(3, 24)
  const sections = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 4, 9, 9, 9, 9]), Buffer.alloc(large ? 8 : 4)])
  const plain = (value: number) => {
    const [bytes, limit] = [depth / 8, 2 ** depth]
    const row = Buffer.alloc(WIDTH * bytes)
    const first = depth === 16 ? value * 256 + (low ?? value) : value
    for (let x = 0; x < WIDTH; x++)
      row.writeUIntBE(x > 0 && zipped === 'differences' ? step : (first + x * step) % limit, x * bytes, bytes)
    return row
  }
  const rows = color.flatMap((value) =>
    Array.from({ length: HEIGHT }, () => (packed ? Buffer.from([1 - WIDTH, value]) : plain(value))),
  )
  if (zipped)
    return Buffer.concat([
      head,
      sections,
      Buffer.from([0, zipped === 'values' ? 2 : 3]),
      deflateSync(Buffer.concat([...rows, after])),
    ])
  const lengths = packed
    ? rows.map((row) => {
        const length = Buffer.alloc(large ? 4 : 2)
        length.writeUIntBE(row.length, 0, length.length)
        return length
      })
    : []
  return Buffer.concat([head, sections, Buffer.from([0, packed ? 1 : 0]), ...lengths, ...rows])
}

/** Light from 0 to infinity. */
export function hdr({ light = [1, 1, 1] as Color, packed = true, claimed = [WIDTH, HEIGHT] as [number, number] } = {}): Buffer {
  const exponent = Math.ceil(Math.log2(Math.max(...light)))
  const pixel = [...light.map((value) => Math.min(255, Math.floor((value / 2 ** exponent) * 256))), exponent + 128]
  const row = packed
    ? Buffer.from([2, 2, 0, WIDTH, ...pixel.flatMap((value) => [128 + WIDTH, value])])
    : Buffer.alloc(WIDTH * 4, Buffer.from(pixel))
  const head = `#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${claimed[1]} +X ${claimed[0]}\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), ...Array.from({ length: HEIGHT }, () => row)])
}

/** A second of silence, then a second at full level. */
export function wav({ bits = 16, rate = 8_000, isNegative = false } = {}): Buffer {
  const size = bits / 8
  const samples = Buffer.alloc(2 * rate * size, bits === 8 ? 0x80 : 0)
  for (let i = rate; i < 2 * rate; i++) {
    const level = i % 2 && !isNegative ? 0.99 : -0.99
    if (bits === 8) samples[i] = Math.round(128 + level * 127)
    else samples.writeIntLE(Math.round(level * (2 ** (bits - 1) - 1)), i * size, size)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * size, 28)
  head.writeUInt16LE(size, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
