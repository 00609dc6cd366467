/**
 * Removes what pictures say about people and places: EXIF, XMP, IPTC, comments, thumbnails, and whatever follows the picture. The pixels are
 * copied as they are. Every reader returns undefined if the picture is damaged.
 */
export interface Picture {
  bytes: Buffer
  width: number
  height: number
}

/** What is shown, animated or matched in color; all other chunks are dropped. */
const PNG_KEPT = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD hIST pHYs cICP mDCV cLLI acTL fcTL fdAT'.split(' '),
)

export function stripPng(bytes: Buffer): Picture | undefined {
  const kept = [bytes.subarray(0, 8)]
  let size: { width: number; height: number } | undefined
  let hasPixels = false
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (end > bytes.length || (size === undefined) !== (type === 'IHDR')) return undefined
    if (type === 'IHDR') size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
    if (type === 'IDAT') hasPixels = true
    if (PNG_KEPT.has(type)) kept.push(bytes.subarray(at, end))
    if (type === 'IEND') return size && hasPixels ? { bytes: Buffer.concat(kept), ...size } : undefined
    at = end
  }
  return undefined
}

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP1 = 0xe1
/** Start of frame, with the size; C4, C8 and CC are something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** JFIF, color profiles and Adobe's color transform change how it looks. */
const isShown = (marker: number, body: Buffer) =>
  marker === 0xe0
    ? body.toString('latin1', 0, 5) === 'JFIF\0'
    : marker === 0xe2
      ? body.toString('latin1', 0, 12) === 'ICC_PROFILE\0'
      : marker === 0xee || !((marker >= 0xe0 && marker <= 0xef) || marker === 0xfe)

export function stripJpeg(bytes: Buffer): Picture | undefined {
  const kept: Buffer[] = []
  let [at, orientation] = [2, 1]
  let size: { width: number; height: number } | undefined
  let hasPixels = false
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    // A marker may follow any number of fill bytes.
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === SOI) return undefined
    if (marker === EOI) {
      if (!size || !hasPixels) return undefined
      const start = [Buffer.from([0xff, SOI]), ...(orientation > 1 ? [orientationSegment(orientation)] : [])]
      return { bytes: Buffer.concat([...start, ...kept, Buffer.from([0xff, EOI])]), ...size }
    }
    if (isAlone(marker)) {
      kept.push(bytes.subarray(at, at + 2))
      at += 2
      continue
    }
    if (at + 4 > bytes.length) return undefined
    const length = bytes.readUInt16BE(at + 2)
    let end = at + 2 + length
    if (length < 2 || end > bytes.length) return undefined
    const body = bytes.subarray(at + 4, end)
    if (isFrame(marker)) {
      if (body.length < 6) return undefined
      size = { height: body.readUInt16BE(1), width: body.readUInt16BE(3) }
    }
    if (marker === APP1 && orientation === 1) orientation = orientationIn(body)
    if (marker === SOS) {
      hasPixels = true
      end = endOfScan(bytes, end)
    }
    if (isShown(marker, body)) kept.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

/** The next marker that does not belong to the pixels. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next !== undefined && next !== 0 && next !== 0xff && !isAlone(next)) return at
  }
  return bytes.length
}

/** How a camera was held, from its EXIF data: without it the picture would be shown on its side. */
function orientationIn(body: Buffer): number {
  if (body.toString('latin1', 0, 6) !== 'Exif\0\0' || body.length < 14) return 1
  const tiff = body.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = Math.min(short(directory), 500)
  for (let i = 0; i < count; i++) {
    const entry = directory + 2 + 12 * i
    const value = short(entry + 8)
    if (short(entry) === 0x0112) return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

const orientationSegment = (orientation: number): Buffer => {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, APP1, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** Repeats an animation; other applications write whatever they like. */
const GIF_LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

export function stripGif(bytes: Buffer): Picture | undefined {
  if (bytes.length < 14) return undefined
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  const tableOf = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let at = 13 + tableOf(bytes[10]!)
  if (at > bytes.length) return undefined
  const kept = [bytes.subarray(0, at)]
  let hasPixels = false
  /** After the sub-blocks that begin there. */
  const endOf = (from: number) => {
    let end = from
    while (end < bytes.length && bytes[end] !== 0) end += bytes[end]! + 1
    return end + 1
  }
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind === 0x3b) return hasPixels ? { bytes: Buffer.concat([...kept, Buffer.from([0x3b])]), ...size } : undefined
    let end: number
    let isKept = true
    if (kind === 0x21) {
      const label = bytes[at + 1]
      end = endOf(at + 2)
      isKept = label === 0xf9 || (label === 0xff && GIF_LOOPS.includes(bytes.toString('latin1', at + 3, at + 14)))
    } else if (kind === 0x2c && at + 10 < bytes.length) {
      end = endOf(at + 11 + tableOf(bytes[at + 9]!))
      hasPixels = true
    } else return undefined
    if (end > bytes.length) return undefined
    if (isKept) kept.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

const WEBP_KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
/** The bits of VP8X that announce EXIF and XMP. */
const WEBP_PERSONAL = 0x0c

export function stripWebp(bytes: Buffer): Picture | undefined {
  const end = Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
  const kept: Buffer[] = []
  let size: { width: number; height: number } | undefined
  let hasPixels = false
  for (let at = 12; at + 8 <= end; ) {
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const next = at + 8 + length + (length % 2)
    if (at + 8 + length > end) return undefined
    const body = bytes.subarray(at + 8, at + 8 + length)
    if (WEBP_KEPT.has(type)) {
      const chunk = Buffer.alloc(next - at)
      bytes.copy(chunk, 0, at, at + 8 + length)
      if (type === 'VP8X' && length > 0) chunk[8]! &= ~WEBP_PERSONAL
      kept.push(chunk)
    }
    if (['VP8 ', 'VP8L', 'ANMF'].includes(type)) hasPixels = true
    size ??= webpSize(type, body)
    at = next
  }
  if (!size || !hasPixels) return undefined
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + kept.reduce((sum, chunk) => sum + chunk.length, 0), 4)
  return { bytes: Buffer.concat([head, ...kept]), ...size }
}

function webpSize(type: string, body: Buffer): { width: number; height: number } | undefined {
  if (body.length < 10) return undefined
  if (type === 'VP8X') return { width: 1 + body.readUIntLE(4, 3), height: 1 + body.readUIntLE(7, 3) }
  if (type === 'VP8 ') return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff }
  if (type !== 'VP8L' || body[0] !== 0x2f) return undefined
  const packed = body.readUInt32LE(1)
  return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) }
}
