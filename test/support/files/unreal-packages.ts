import { png } from './pictures.ts'

/** Uncooked Unreal packages, as engine versions write their summary, names and thumbnails. */
export const ENGINES = {
  'UE 4.0': { layout: -3, version: 352, version5: 0 },
  'UE 4.12': { layout: -6, version: 504, version5: 0 },
  'UE 4.18': { layout: -7, version: 514, version5: 0 },
  'UE 4.27': { layout: -7, version: 522, version5: 0 },
  'UE 5.0': { layout: -8, version: 522, version5: 1004 },
  'UE 5.3': { layout: -8, version: 522, version5: 1009 },
  'UE 5.5': { layout: -8, version: 522, version5: 1013 },
  'UE 5.6': { layout: -9, version: 522, version5: 1017 },
} as const
export type Engine = keyof typeof ENGINES

const int = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeInt32LE(value, 4 * i)
  return bytes
}
const fstring = (value: string) =>
  value === ''
    ? int(0)
    : /^[\x20-\x7e]*$/.test(value)
      ? Buffer.concat([int(value.length + 1), Buffer.from(`${value}\0`, 'latin1')])
      : Buffer.concat([int(-(value.length + 1)), Buffer.from(`${value}\0`, 'utf16le')])

export interface PackageOptions {
  engine?: Engine
  /** Instead of an engine's. */
  versions?: { layout: number; version: number; version5: number }
  names?: string[]
  /** Null: an asset that was saved without a thumbnail. */
  thumbnail?: { image: Buffer; width: number; height: number } | null
  /** Bytes after the header: the object itself. */
  body?: number
}

export function unrealPackage({
  engine = 'UE 5.5',
  versions = ENGINES[engine],
  names = ['/Script/Engine', 'Texture2D', 'T_Rock'],
  thumbnail = { image: png({ width: 256, height: 256 }), width: 256, height: 256 },
  body = 100,
}: PackageOptions = {}): Buffer {
  const { layout, version, version5 } = versions
  const named = Buffer.concat(names.map((name) => Buffer.concat([fstring(name), ...(version >= 504 ? [int(0x12345678)] : [])])))
  const summary = (offsets: { names: number; thumbnails: number; header: number }) =>
    Buffer.concat([
      int(0x9e2a83c1 | 0, layout),
      int(864, version),
      ...(layout <= -8 ? [int(version5)] : []),
      int(0),
      ...(version5 >= 1016 ? [Buffer.alloc(20, 7), int(offsets.header)] : []),
      int(2),
      ...[1, 2].map((key) =>
        Buffer.concat([Buffer.alloc(16, key), int(key), ...(layout > -6 ? [fstring('Dev-Rendering')] : [])]),
      ),
      ...(version5 >= 1016 ? [] : [int(offsets.header)]),
      fstring('/Game/Rock/T_Rock'),
      int(0),
      int(names.length, offsets.names),
      ...(version5 >= 1008 ? [int(0, 0)] : []),
      ...(version >= 516 ? [fstring('0123456789ABCDEF0123456789ABCDEF')] : []),
      ...(version >= 459 ? [int(0, 0)] : []),
      int(1, 900, 1, 800),
      ...(version5 >= 1015 ? [int(0, 0, 0, 0)] : []),
      ...(version5 >= 1014 ? [int(0)] : []),
      int(0),
      ...(version >= 384 ? [int(0, 0)] : []),
      ...(version >= 510 ? [int(0)] : []),
      int(offsets.thumbnails),
      Buffer.alloc(120),
    ])
  const start = summary({ names: 0, thumbnails: 0, header: 0 }).length
  const atThumbnail = start + named.length
  const picture = thumbnail
    ? Buffer.concat([int(thumbnail.width, thumbnail.height, thumbnail.image.length), thumbnail.image])
    : Buffer.alloc(0)
  const atTable = atThumbnail + picture.length
  const table = thumbnail ? Buffer.concat([int(1), fstring('Texture2D'), fstring('T_Rock'), int(atThumbnail)]) : Buffer.alloc(0)
  const offsets = { names: start, thumbnails: thumbnail ? atTable : 0, header: atTable + table.length }
  return Buffer.concat([summary(offsets), named, picture, table, Buffer.alloc(body, 0xee)])
}

/** Where a summary has the offset of its thumbnails: for packages that lie. */
export const offsetOfThumbnails = (bytes: Buffer): number => {
  const at = bytes.lastIndexOf(int(0x9e2a83c1 | 0))
  if (at !== 0) throw new Error('not a package')
  for (let i = 0; i + 4 < 600; i++) {
    const value = bytes.readInt32LE(i)
    if (
      value > 0 &&
      value + 4 < bytes.length &&
      bytes.readInt32LE(value) === 1 &&
      bytes.toString('latin1', value + 8, value + 17) === 'Texture2D'
    )
      return i
  }
  throw new Error('no table')
}
