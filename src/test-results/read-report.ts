import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { JsonReport } from './json-report.ts'
import { SLICE, UNPACKED_MAX } from './limits.ts'
import { TapReport } from './tap-report.ts'
import { type TestReport, UnreadableReport } from './test-case.ts'
import { XmlReport } from './xml-report.ts'

/** Characters by which the format is found: comments may precede the first line of TAP. */
const FORMAT_START = 4096
const TAP = /^(?:TAP version \d+|1\.\.\d+|(?:not )?ok\b)/m

interface FormatReader {
  /** So far. */
  readonly report: TestReport
  write(text: string): void
  end(): TestReport
}

/** Told of everything that is unpacked and of every case, and may refuse it: other files may have used a common limit. */
export type Spend = (what: 'bytes' | 'values', amount: number) => void

/** The cases of a report, packed with gzip or not. Gives others their turn every few milliseconds. */
export async function readReport(bytes: Buffer, spend: Spend = () => {}): Promise<TestReport> {
  let reader: FormatReader | undefined
  let start = ''
  let counted = 0
  for await (const text of textOf(bytes, spend)) {
    if (reader) {
      reader.write(text)
      spend('values', reader.report.cases.length - counted)
      counted = reader.report.cases.length
    } else {
      start += text
      if (start.length < FORMAT_START) continue
      reader = readerOf(start)
      reader.write(start)
    }
    await nextTurn()
  }
  if (!reader) {
    reader = readerOf(start)
    reader.write(start)
  }
  const report = reader.end()
  spend('values', report.cases.length - counted)
  return report
}

function readerOf(start: string): FormatReader {
  const text = start.trimStart()
  if (text === '')
    throw new UnreadableReport(start === '' ? 'Line 1: the file is empty' : 'Line 1: the file starts with blank lines only')
  if (text.startsWith('<')) return new XmlReport()
  if (text.startsWith('{')) return new JsonReport()
  if (TAP.test(text.slice(0, FORMAT_START))) return new TapReport()
  throw new UnreadableReport('Line 1: neither XML nor JSON nor TAP')
}

/** Text without a byte order mark, in slices. Tools on Windows write UTF-16 and old ones a code page. */
async function* textOf(bytes: Buffer, spend: Spend): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let unpacked = 0
  for await (const chunk of unpackedOf(bytes)) {
    unpacked += chunk.length
    spend('bytes', chunk.length)
    if (unpacked > UNPACKED_MAX)
      throw new UnreadableReport(`The file has more than ${UNPACKED_MAX / 1024 / 1024} MiB once it is unpacked.`)
    decoder ??= decoderFor(chunk)
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decoder?.decode() ?? ''
  if (rest !== '') yield rest
}

function decoderFor(start: Buffer): TextDecoder {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le')
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be')
  const declared = /^<\?xml[^>]*?encoding=["']([\w-]+)["']/.exec(start.subarray(0, 200).toString('latin1'))?.[1]
  const isCodePage = declared !== undefined && /^(iso-8859-\d+|windows-125\d)$/i.test(declared)
  return new TextDecoder(isCodePage ? declared : 'utf-8')
}

async function* unpackedOf(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE)
    return
  }
  const unpacking = Readable.from([bytes]).pipe(createGunzip({ chunkSize: SLICE }))
  try {
    for await (const chunk of unpacking) yield chunk as Buffer
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_') ? new UnreadableReport('The file is not valid gzip.') : error
  } finally {
    unpacking.destroy()
  }
}
