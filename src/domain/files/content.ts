import { damagedPicture, pictureTooLarge } from '../../contract/errors.ts'
import { FILE_NAME_MAX, PICTURE_PIXELS_MAX } from '../../contract/limits.ts'
import { type Picture, stripGif, stripJpeg, stripPng, stripWebp } from './pictures.ts'

export interface Content {
  bytes: Buffer
  type: string
  width: number | null
  height: number | null
}

/** Pictures by their first bytes, and how personal data is removed from them. */
const PICTURES: { type: string; is: (bytes: Buffer) => boolean; strip: (bytes: Buffer) => Picture | undefined }[] = [
  { type: 'image/png', is: (b) => starts(b, '\x89PNG\r\n\x1a\n'), strip: stripPng },
  { type: 'image/jpeg', is: (b) => starts(b, '\xff\xd8\xff'), strip: stripJpeg },
  { type: 'image/gif', is: (b) => starts(b, 'GIF87a') || starts(b, 'GIF89a'), strip: stripGif },
  { type: 'image/webp', is: (b) => starts(b, 'RIFF') && starts(b.subarray(8), 'WEBP'), strip: stripWebp },
]

const OTHERS: [type: string, is: (bytes: Buffer) => boolean][] = [
  ['model/gltf-binary', (b) => starts(b, 'glTF\x02\0\0\0')],
  ['audio/wav', (b) => starts(b, 'RIFF') && starts(b.subarray(8), 'WAVE')],
  ['audio/ogg', (b) => starts(b, 'OggS')],
  ['application/pdf', (b) => starts(b, '%PDF-')],
  ['application/zip', (b) => starts(b, 'PK\x03\x04')],
  ['application/gzip', (b) => starts(b, '\x1f\x8b')],
  ['video/webm', (b) => starts(b, '\x1a\x45\xdf\xa3')],
  ...['image/avif', 'image/heic', 'audio/mp4', 'video/quicktime', 'video/mp4'].map(
    (type): [string, (bytes: Buffer) => boolean] => [type, (b) => typeOfMedia(b) === type],
  ),
  ['text/plain', (b) => isText(b)],
]

/** Brands of the container that MP4 shares with pictures and sound; a file that names none of them is no type we know. */
const BRANDS: [type: string, brand: RegExp][] = [
  ['image/avif', /^avi[fs]$/],
  ['image/heic', /^(?:he[iv][cmsx]|mif1|msf1)$/],
  ['audio/mp4', /^M4[ABP] $/],
  ['video/quicktime', /^qt {2}$/],
  ['video/mp4', /^(?:iso[0-9a-m]|mp4[12]|avc1|M4V[ HP]|dash|MSNV|mmp4|f4v )$/],
]

/** By the main brand; `mif1` is any picture, and the brands that follow say which. */
function typeOfMedia(bytes: Buffer): string | undefined {
  if (!starts(bytes.subarray(4), 'ftyp') || bytes.length < 12) return undefined
  const brandAt = (at: number) => bytes.toString('latin1', at, at + 4)
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 256)
  const others = Array.from({ length: Math.max(0, Math.floor((end - 16) / 4)) }, (_, i) => brandAt(16 + 4 * i))
  const main = brandAt(8)
  const typeOf = (brand: string) => BRANDS.find(([, is]) => is.test(brand))?.[0]
  if (main === 'mif1' && others.some((brand) => typeOf(brand) === 'image/avif')) return 'image/avif'
  return typeOf(main)
}

const starts = (bytes: Buffer, text: string) => bytes.subarray(0, text.length).equals(Buffer.from(text, 'latin1'))

function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** The type of a file by its content, and a picture without personal data. The name and what the sender calls it don't matter. */
export function readContent(bytes: Buffer): Content {
  const picture = PICTURES.find(({ is }) => is(bytes))
  if (!picture) {
    const type = OTHERS.find(([, is]) => is(bytes))?.[0] ?? 'application/octet-stream'
    return { bytes, type, width: null, height: null }
  }
  const stripped = picture.strip(bytes)
  if (!stripped || stripped.width === 0 || stripped.height === 0) throw damagedPicture()
  const { width, height } = stripped
  if (width * height > PICTURE_PIXELS_MAX) throw pictureTooLarge(width, height, PICTURE_PIXELS_MAX)
  return { type: picture.type, ...stripped }
}

/** Types that browsers show and never execute. Everything else is only downloaded. */
export const isPicture = (type: string): boolean => PICTURES.some((picture) => picture.type === type)

/** A name without folders, control characters and marks that reverse its direction. */
export const nameOf = (given: string): string =>
  given
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '')
    .trim()
    .slice(0, FILE_NAME_MAX) || 'file'
