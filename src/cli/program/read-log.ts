import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'

/** Stands for standard input instead of a file. */
export const STANDARD_INPUT = '-'

const GZIP = 0x1f8b
const LITTLE = 0xfffe
const BIG = 0xfeff

const standardInput = async () => {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const bigEndian = (bytes: Buffer) =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')

const READ = 4096
const MOST = 0.7

/** The share of zeros among every second byte, from the first or the second on. */
const zerosFrom = (bytes: Buffer, start: number) => {
  const halves = bytes.subarray(0, READ).filter((_, at) => at % 2 === start)
  return halves.filter((byte) => byte === 0).length / Math.max(1, halves.length)
}

/** Build tools on Windows write UTF-16. The byte order mark tells; without one, the zeros do. */
const decode = (bytes: Buffer) => {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0
  if (mark === LITTLE) return bytes.subarray(2).toString('utf16le')
  if (mark === BIG) return bigEndian(bytes.subarray(2))
  if (zerosFrom(bytes, 1) > MOST) return bytes.toString('utf16le')
  return zerosFrom(bytes, 0) > MOST ? bigEndian(bytes) : bytes.toString('utf8')
}

/** The text of a log: a file, plain or gzipped, or standard input. */
export async function readLog(path: string): Promise<string> {
  const bytes = path === STANDARD_INPUT ? await standardInput() : await readFile(path)
  return decode(bytes.length >= 2 && bytes.readUInt16BE(0) === GZIP ? gunzipSync(bytes) : bytes)
}
