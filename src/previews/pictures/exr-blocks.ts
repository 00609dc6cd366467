import { inflateSync } from 'node:zlib'
import { unpackPiz } from './exr-piz.ts'

/** How the rows of a block become bytes again. `words` are the 16-bit words of a pixel in each channel. */
export interface Compression {
  rows: number
  unpack(packed: Buffer, size: number): Buffer
}

type CompressionOf = (words: readonly number[], width: number) => Compression

const stored = () => {
  throw new RangeError('exr block')
}
/** zlib stops at the size that the rows have. */
const zip = (packed: Buffer, size: number) => ordered(inflateSync(packed, { maxOutputLength: size }))
const rle = (packed: Buffer, size: number) => ordered(unpackRuns(packed, size))

/** By their number in the header. */
export const COMPRESSIONS: readonly (CompressionOf | undefined)[] = [
  () => ({ rows: 1, unpack: stored }),
  () => ({ rows: 1, unpack: rle }),
  () => ({ rows: 1, unpack: zip }),
  () => ({ rows: 16, unpack: zip }),
  (words, width) => ({ rows: 32, unpack: (packed, size) => unpackPiz(packed, size, words, width) }),
]

function unpackRuns(packed: Buffer, size: number): Buffer {
  const out = Buffer.alloc(size)
  let to = 0
  for (let at = 0; at < packed.length; ) {
    const code = packed.readInt8(at++)
    const run = code < 0 ? -code : code + 1
    const taken = code < 0 ? run : 1
    if (to + run > size || at + taken > packed.length) throw new RangeError('exr run')
    if (code < 0) packed.copy(out, to, at, at + run)
    else out.fill(packed[at]!, to, to + run)
    at += taken
    to += run
  }
  return out.subarray(0, to)
}

/** Bytes are stored as differences, and the even ones before the odd ones. */
function ordered(bytes: Buffer): Buffer {
  for (let i = 1; i < bytes.length; i++) bytes[i] = bytes[i - 1]! + bytes[i]! - 128
  const out = Buffer.alloc(bytes.length)
  const half = Math.ceil(bytes.length / 2)
  for (let i = 0; i < bytes.length; i++) out[i] = bytes[i % 2 ? half + (i >> 1) : i >> 1]!
  return out
}
