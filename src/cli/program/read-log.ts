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

/** Build tools on Windows often write UTF-16; the byte order mark shows it. */
const decode = (bytes: Buffer) => {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0
  if (mark === LITTLE) return bytes.subarray(2).toString('utf16le')
  if (mark === BIG)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le')
  return bytes.toString('utf8')
}

/** The text of a log: a file, plain or gzipped, or standard input. */
export async function readLog(path: string): Promise<string> {
  const bytes = path === STANDARD_INPUT ? await standardInput() : await readFile(path)
  return decode(bytes.length >= 2 && bytes.readUInt16BE(0) === GZIP ? gunzipSync(bytes) : bytes)
}
