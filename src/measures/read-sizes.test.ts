import { expect, test } from 'vitest'
import { readSizes } from './read-sizes.ts'

const REPORT = `Build Report
Uncompressed usage by category (Percentages based on user generated assets only):
Textures               10.9 mb\t 92.1%
Complete build size    100.0 mb
Used Assets and files from the Resources folder, sorted by uncompressed size:
 5.9 mb\t 5.9% Assets/Resources/UI/Main Menu.png
 12.0 kb\t 0.1% Assets/Scripts/Player.cs
-------------------------------------------------------------------------------
 9.9 mb\t 9.9% Assets/Not/In/The/List.png
`

test('the size list of a build report is read up to its end', () => {
  expect(readSizes(REPORT)).toEqual([
    ['Assets/Resources/UI/Main Menu.png', 6_186_598],
    ['Assets/Scripts/Player.cs', 12_288],
  ])
})

test('the last list of a log counts, and prefixes of a build machine are cut off', () => {
  const older = 'Used Assets, sorted by uncompressed size:\n 1.0 mb\t 1.0% Assets/Old.png\n\n'
  const prefixed = REPORT.replaceAll(/^/gm, '2026-01-02T03:04:05.6789012Z ')
  expect(readSizes(older + prefixed)[0]).toEqual(['Assets/Resources/UI/Main Menu.png', 6_186_598])
})

test('a log without a list has no sizes, and a list has at most 50', () => {
  expect(readSizes('Used Assets: none\nnothing else')).toEqual([])
  const many = Array.from({ length: 80 }, (_, at) => ` ${80 - at}.0 kb\t 1.0% Assets/${at}.png`).join('\n')
  expect(readSizes(`Used Assets\n${many}`)).toHaveLength(50)
})

const CHUNKS = `OrderInContainer, ChunkId, PackageId, PackageName, Filename, ContainerName, Offset, OffsetOnDisk, Size, CompressedSize, Hash, ChunkType
0, 00A1, 0x1F, /Game/Maps/Arena, ../../../Game/Content/Maps/Arena.umap, pakchunk0-Windows, 0, 0, 900, 500, 0x0A, ExportBundleData
1, 00A2, 0x1F, /Game/Maps/Arena, ../../../Game/Content/Maps/Arena.ubulk, pakchunk0-Windows, 900, 500, 9000, 4000, 0x0B, BulkData
2, 00A3, 0x0, , ../../../Game/Shaders.ushaderbytecode, pakchunk0-Windows, 9900, 4500, 70, 70, 0x0C, ShaderCode
LogIoStore: Display: Done
3, 00A4, 0x2F, /Game/NotInTheList, , pakchunk0-Windows, 0, 0, 900, 99999, 0x0D, ExportBundleData
`

test('the chunks of a container are summed by package, and a list that is printed twice counts once', () => {
  const sizes = [
    ['/Game/Maps/Arena', 4_500],
    ['../../../Game/Shaders.ushaderbytecode', 70],
  ]
  expect(readSizes(CHUNKS)).toEqual(sizes)
  expect(readSizes(CHUNKS.replaceAll(/^/gm, '2026-01-02T03:04:05.6789012Z ') + CHUNKS)).toEqual(sizes)
})

test('the files of a pak are summed by asset, the largest first, and a list that is printed twice counts once', () => {
  const log = `LogPakFile: Display: Mount point ../../../
LogPakFile: Display: "Game/Content/UI/Menu.uasset" offset: 0, size: 300 bytes, sha1: BF2586E1, compression: None.
LogPakFile: Display: "Game/Content/Audio/Theme.uasset" offset: 300, size: 200 bytes, sha1: BF2586E2.
LogPakFile: Display: "Game/Content/Audio/Theme.ubulk" offset: 500, size: 8000 bytes, sha1: BF2586E3, compression: Oodle.
LogPakFile: Display: 3 files (8500 bytes), (8500 filtered bytes).
`
  for (const printed of [log, log + log])
    expect(readSizes(printed)).toEqual([
      ['Game/Content/Audio/Theme', 8_200],
      ['Game/Content/UI/Menu', 300],
    ])
})
