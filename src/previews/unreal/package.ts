import { ByteReader } from './byte-reader.ts'

/** What an uncooked Unreal package says about itself: its thumbnail and its names. Of a cut package, what its first bytes tell. */
export interface UnrealPackage {
  /** A png or jpeg file, or pixels. Undefined: it has none, or it is beyond the given bytes. */
  thumbnail: Thumbnail | undefined
  names: string[]
}
export interface Thumbnail {
  width: number
  height: number
  /** A png or jpeg file, or BGRA pixels if it is neither. */
  image: Buffer
}

const TAG = 0x9e2a83c1
/** The versions that changed the summary; UE4's and UE5's count separately. */
const UE4 = {
  oldest: 214,
  stringReferences: 384,
  gatherableText: 459,
  nameHashes: 504,
  searchableNames: 510,
  localizationId: 516,
}
const UE5 = { softObjectPaths: 1008, metadata: 1014, cells: 1015, savedHash: 1016 }
/** Newer versions may have moved the fields. */
const NEWEST_LAYOUT = -9
/** Cooked packages have no editor data. */
const FILTER_EDITOR_ONLY = 0x80000000

const CUSTOM_VERSIONS_MAX = 2_000
const TEXT_MAX = 4_000
const NAMES_MAX = 200_000
const THUMBNAILS_MAX = 1_000
/** Thumbnails are 256 pixels wide; some plugins write larger ones. */
const SIDE_MAX = 4_096

export const isPackage = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === TAG

export function readPackage(bytes: Buffer): UnrealPackage {
  const reader = new ByteReader(bytes)
  const summary = readSummary(reader)
  return { thumbnail: largest(readThumbnails(bytes, summary.thumbnails)), names: readNames(bytes, summary) }
}

interface Summary {
  version: number
  nameCount: number
  nameOffset: number
  /** The offset of their table, 0 for none. */
  thumbnails: number
}

/** The fields up to the offset of the thumbnails, as each version of the engine writes them. */
function readSummary(reader: ByteReader): Summary {
  reader.skip(4)
  const layout = reader.int32()
  if (layout >= 0 || layout < NEWEST_LAYOUT) throw new RangeError(`layout ${layout}`)
  if (layout !== -4) reader.skip(4)
  const version = reader.int32()
  const version5 = layout <= -8 ? reader.int32() : 0
  const licensee = reader.int32()
  if (version === 0 && version5 === 0 && licensee === 0) throw new RangeError('unversioned')
  if (version < UE4.oldest) throw new RangeError(`version ${version}`)
  const isHashedEarly = version5 >= UE5.savedHash
  if (isHashedEarly) reader.skip(20 + 4)
  skipCustomVersions(reader, layout)
  if (!isHashedEarly) reader.skip(4)
  reader.skipText(TEXT_MAX)
  const isCooked = (reader.uint32() & FILTER_EDITOR_ONLY) !== 0
  const nameCount = reader.int32()
  const nameOffset = reader.int32()
  if (version5 >= UE5.softObjectPaths) reader.skip(8)
  if (!isCooked && version >= UE4.localizationId) reader.skipText(TEXT_MAX)
  if (version >= UE4.gatherableText) reader.skip(8)
  // Exports and imports.
  reader.skip(16)
  if (version5 >= UE5.cells) reader.skip(16)
  if (version5 >= UE5.metadata) reader.skip(4)
  // Dependencies.
  reader.skip(4)
  if (version >= UE4.stringReferences) reader.skip(8)
  if (version >= UE4.searchableNames) reader.skip(4)
  return { version, nameCount, nameOffset, thumbnails: reader.int32() }
}

/** Numbers, or GUIDs with names, or only GUIDs. */
function skipCustomVersions(reader: ByteReader, layout: number) {
  if (layout > -2) return
  const count = reader.count(CUSTOM_VERSIONS_MAX)
  for (let i = 0; i < count; i++) {
    reader.skip(layout === -2 ? 8 : 20)
    if (layout < -2 && layout > -6) reader.skipText(TEXT_MAX)
  }
}

function readThumbnails(bytes: Buffer, offset: number): Thumbnail[] {
  if (offset <= 0 || offset >= bytes.length) return []
  const table = new ByteReader(bytes, offset)
  return Array.from({ length: table.count(THUMBNAILS_MAX) }, () => {
    table.skipText(TEXT_MAX)
    table.skipText(TEXT_MAX)
    return readThumbnail(bytes, table.int32())
  }).filter((thumbnail) => thumbnail !== undefined)
}

/** The object may have none; a negative height marks a jpeg. */
function readThumbnail(bytes: Buffer, offset: number): Thumbnail | undefined {
  if (offset <= 0 || offset + 12 > bytes.length) return undefined
  const reader = new ByteReader(bytes, offset)
  const [width, height, length] = [reader.int32(), Math.abs(reader.int32()), reader.int32()]
  const isUsable = width > 0 && width <= SIDE_MAX && height > 0 && height <= SIDE_MAX && length > 0
  return isUsable && offset + 12 + length <= bytes.length ? { width, height, image: reader.bytes(length) } : undefined
}

const largest = (thumbnails: Thumbnail[]): Thumbnail | undefined =>
  thumbnails.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]

/** What it refers to, and the names of its properties. */
function readNames(bytes: Buffer, { version, nameCount, nameOffset }: Summary): string[] {
  if (nameCount <= 0 || nameCount > NAMES_MAX || nameOffset <= 0 || nameOffset >= bytes.length) return []
  const reader = new ByteReader(bytes, nameOffset)
  const names: string[] = []
  try {
    for (let i = 0; i < nameCount; i++) {
      names.push(reader.text(TEXT_MAX))
      if (version >= UE4.nameHashes) reader.skip(4)
    }
  } catch {
    // The rest is beyond the given bytes.
  }
  return names
}
