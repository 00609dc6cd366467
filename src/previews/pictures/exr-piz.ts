/** PIZ, the compression of OpenEXR for noisy pictures: values are numbered, transformed by Haar wavelets and written as Huffman codes. */

const VALUES = 65_536
const CODE_BITS_MAX = 58
/** Codes are counted as doubles. */
const USED_BITS_MAX = 52
const SHORT_ZEROS = 59
const LONG_ZEROS = 63
/** A code that is looked up in one step. */
const FAST_BITS = 12

export function unpackPiz(packed: Buffer, size: number, words: readonly number[], width: number): Buffer {
  const { values, at } = readValues(packed)
  const length = packed.readInt32LE(at)
  if (length < 0 || at + 4 + length > packed.length) throw new RangeError('piz length')
  const numbers = readCodes(packed.subarray(at + 4, at + 4 + length), size / 2)
  const rows = size / 2 / width / words.reduce((sum, count) => sum + count, 0)
  let start = 0
  for (const count of words) {
    for (let word = 0; word < count; word++)
      undoWavelets(numbers.subarray(start + word), { width, rows, stepX: count, stepY: width * count }, values.count - 1)
    start += width * rows * count
  }
  return toRows(numbers, values.list, { rows, words, width }, size)
}

/** The values that occur: others have no number. */
function readValues(packed: Buffer) {
  const [first, last] = [packed.readUInt16LE(0), packed.readUInt16LE(2)]
  if (last >= VALUES / 8) throw new RangeError('piz values')
  const map = first <= last ? packed.subarray(4, 4 + last - first + 1) : Buffer.alloc(0)
  if (first <= last && map.length !== last - first + 1) throw new RangeError('piz values')
  const list = new Uint16Array(VALUES)
  let count = 1
  for (let value = 1; value < VALUES; value++) if (((map[(value >> 3) - first] ?? 0) >> (value & 7)) & 1) list[count++] = value
  return { values: { list, count }, at: 4 + map.length }
}

/** Channel after channel becomes row after row. */
function toRows(
  numbers: Uint16Array,
  list: Uint16Array,
  { rows, words, width }: { rows: number; words: readonly number[]; width: number },
  size: number,
): Buffer {
  const out = new DataView(new ArrayBuffer(size))
  const perRow = words.reduce((sum, count) => sum + count, 0) * width
  let [from, column] = [0, 0]
  for (const count of words) {
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < width * count; x++) out.setUint16(2 * (y * perRow + column + x), list[numbers[from++]!]!, true)
    column += width * count
  }
  return Buffer.from(out.buffer)
}

/** Reads bits, highest first; beyond the end they are 0. */
class Bits {
  private held = 0
  private count = 0
  at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  take(bits: number): number {
    let value = 0
    for (let left = bits; left > 0; ) {
      if (this.count === 0) {
        this.held = this.bytes[this.at++] ?? 0
        this.count = 8
      }
      const taken = Math.min(left, this.count)
      value = value * 2 ** taken + ((this.held >> (this.count - taken)) & (2 ** taken - 1))
      this.count -= taken
      left -= taken
    }
    return value
  }
}

/** Numbers by their codes; the last symbol repeats the number before it. */
function readCodes(bytes: Buffer, count: number): Uint16Array {
  const [first, repeat, bitCount] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(12)]
  if (first > repeat || repeat > VALUES) throw new RangeError('piz symbols')
  const bits = new Bits(bytes.subarray(20))
  const codes = codesOf(readLengths(bits, first, repeat))
  const data = bytes.subarray(20 + bits.at)
  if (bitCount > data.length * 8) throw new RangeError('piz bits')
  return decode(data, bitCount, codes, repeat, new Uint16Array(count))
}

function readLengths(bits: Bits, first: number, last: number): Uint8Array {
  const lengths = new Uint8Array(VALUES + 1)
  for (let symbol = first; symbol <= last; ) {
    const length = bits.take(6)
    if (length === LONG_ZEROS) symbol += bits.take(8) + 6
    else if (length >= SHORT_ZEROS) symbol += length - SHORT_ZEROS + 2
    else lengths[symbol++] = length
    if (symbol > last + 1) throw new RangeError('piz lengths')
  }
  return lengths
}

interface Codes {
  /** Of each length: the first code, and where its symbols start. */
  first: Float64Array
  starts: Uint32Array
  symbols: Uint32Array
  /** By the next bits: a length, or 0 for a longer code. */
  fast: Uint8Array
}

/** Canonical codes: long ones come first. */
function codesOf(lengths: Uint8Array): Codes {
  const counts = new Float64Array(CODE_BITS_MAX + 1)
  for (const length of lengths) if (length > 0) counts[length]!++
  const first = new Float64Array(CODE_BITS_MAX + 1)
  const starts = new Uint32Array(CODE_BITS_MAX + 2)
  for (let [length, code] = [CODE_BITS_MAX, 0]; length > 0; length--) {
    if (counts[length]! > 0 && length > USED_BITS_MAX) throw new RangeError('piz code')
    first[length] = code
    code = Math.floor((code + counts[length]!) / 2)
  }
  for (let length = 1; length <= CODE_BITS_MAX; length++) starts[length + 1] = starts[length]! + counts[length]!
  const symbols = new Uint32Array(starts[CODE_BITS_MAX + 1]!)
  const next = starts.slice()
  for (const [symbol, length] of lengths.entries()) if (length > 0) symbols[next[length]!++] = symbol
  const fast = new Uint8Array(2 ** FAST_BITS)
  for (let length = 1; length <= FAST_BITS; length++) {
    const [from, until] = [first[length]!, first[length]! + counts[length]!].map((code) => code * 2 ** (FAST_BITS - length))
    fast.fill(length, from, until)
  }
  return { first, starts, symbols, fast }
}

function decode(data: Buffer, bitCount: number, { first, starts, symbols, fast }: Codes, repeat: number, out: Uint16Array) {
  let [at, to] = [0, 0]
  const peek = (from: number, bits: number) => {
    const byte = from >> 3
    const held = ((data[byte] ?? 0) << 16) | ((data[byte + 1] ?? 0) << 8) | (data[byte + 2] ?? 0)
    return (held >> (24 - (from & 7) - bits)) & (2 ** bits - 1)
  }
  while (to < out.length) {
    let length = fast[peek(at, FAST_BITS)]!
    let code = length > 0 ? peek(at, length) : peek(at, FAST_BITS)
    if (length === 0)
      for (length = FAST_BITS; ; ) {
        code = code * 2 + peek(at + length++, 1)
        if (length > USED_BITS_MAX) throw new RangeError('piz code')
        if (code >= first[length]! && code - first[length]! < starts[length + 1]! - starts[length]!) break
      }
    at += length
    const symbol = symbols[starts[length]! + code - first[length]!]!
    if (symbol === repeat) {
      const run = peek(at, 8)
      at += 8
      if (to === 0 || to + run > out.length) throw new RangeError('piz run')
      out.fill(out[to - 1]!, to, to + run)
      to += run
    } else out[to++] = symbol
    if (at > bitCount) throw new RangeError('piz bits')
  }
  return out
}

interface Plane {
  width: number
  rows: number
  /** From a number to the next one of its row, and to the one below. */
  stepX: number
  stepY: number
}

/** From the coarsest level to the finest. */
function undoWavelets(plane: Uint16Array, { width, rows, stepX, stepY }: Plane, largest: number) {
  const undo = largest < 1 << 14 ? undoSmall : undoLarge
  const least = Math.min(width, rows)
  let half = 1
  while (half <= least) half *= 2
  for (half /= 4; half >= 1; half /= 2) {
    const whole = half * 2
    const [x1, y1] = [half * stepX, half * stepY]
    let y = 0
    for (; y + whole <= rows; y += whole) {
      let x = 0
      for (; x + whole <= width; x += whole) {
        const at = y * stepY + x * stepX
        undo(plane, at, at + y1)
        undo(plane, at + x1, at + x1 + y1)
        undo(plane, at, at + x1)
        undo(plane, at + y1, at + x1 + y1)
      }
      if (width & half) undo(plane, y * stepY + x * stepX, y * stepY + x * stepX + y1)
    }
    if (rows & half)
      for (let x = 0; x + whole <= width; x += whole) undo(plane, y * stepY + x * stepX, y * stepY + x * stepX + x1)
  }
}

/** A mean and a difference become two numbers again, with signs. */
function undoSmall(plane: Uint16Array, low: number, high: number) {
  const [mean, difference] = [(plane[low]! << 16) >> 16, (plane[high]! << 16) >> 16]
  const first = mean + (difference & 1) + (difference >> 1)
  plane[low] = first
  plane[high] = first - difference
}

/** The same within 16 bits, wrapped around. */
function undoLarge(plane: Uint16Array, low: number, high: number) {
  const [mean, difference] = [plane[low]!, plane[high]!]
  const second = (mean - (difference >> 1)) & 0xffff
  plane[high] = second
  plane[low] = difference + second - 0x8000
}
