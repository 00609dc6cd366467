/** A page of an Ogg file, whose streams may be mixed or follow each other. */
export interface OggPage {
  /** Where it starts in the file. */
  at: number
  bytes: Buffer
  /** The stream it belongs to. */
  serial: number
  isFirst: boolean
  isLast: boolean
  /** Whether it starts with the rest of a packet. */
  isContinued: boolean
  /** The position in the stream at its end, in samples; negative if no packet ends on it. */
  position: number
  /** Whole or split packets, in order. */
  pieces: { bytes: Buffer; isEnd: boolean }[]
}

const HEAD = 27
/** A packet goes on after a segment of this length. */
const SEGMENT = 255

/** All complete pages. Bytes between them are skipped. */
export function* pagesOf(file: Buffer): Generator<OggPage> {
  for (let at = file.indexOf('OggS'); at >= 0 && at + HEAD <= file.length; ) {
    const page = pageAt(file, at)
    if (page) yield page
    at = file.indexOf('OggS', page ? at + page.bytes.length : at + 4)
  }
}

function pageAt(file: Buffer, at: number): OggPage | undefined {
  const flags = file[at + 5]!
  const segments = file.subarray(at + HEAD, at + HEAD + file[at + 26]!)
  const from = at + HEAD + segments.length
  const until = from + segments.reduce((sum, length) => sum + length, 0)
  if (file[at + 4] !== 0 || segments.length < file[at + 26]! || until > file.length) return undefined
  return {
    at,
    bytes: file.subarray(at, until),
    serial: file.readUInt32LE(at + 14),
    isContinued: (flags & 1) !== 0,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    position: Number(file.readBigInt64LE(at + 6)),
    pieces: piecesOf(file, from, segments),
  }
}

function piecesOf(file: Buffer, from: number, segments: Buffer): OggPage['pieces'] {
  const pieces: OggPage['pieces'] = []
  let length = 0
  for (const [i, segment] of segments.entries()) {
    length += segment
    const isEnd = segment < SEGMENT
    if (!isEnd && i < segments.length - 1) continue
    pieces.push({ bytes: file.subarray(from, from + length), isEnd })
    from += length
    length = 0
  }
  return pieces
}

/** Joins the packets that pages split. Those that are larger than `max` or have no start are skipped. */
export function packetJoiner(max: number): (page: OggPage) => Buffer[] {
  let parts: Buffer[] = []
  let size = 0
  let isSplit = false
  return ({ pieces, isContinued }) => {
    const packets: Buffer[] = []
    if (isContinued !== isSplit) {
      parts = []
      size = isContinued ? Number.POSITIVE_INFINITY : 0
    }
    for (const { bytes, isEnd } of pieces) {
      size += bytes.length
      if (size <= max) parts.push(bytes)
      isSplit = !isEnd
      if (isSplit) continue
      if (size <= max) packets.push(Buffer.concat(parts))
      parts = []
      size = 0
    }
    return packets
  }
}
