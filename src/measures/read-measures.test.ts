import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import EXPECTED from './fixtures/expected.json' with { type: 'json' }
import type { LogMeasure } from './log-measure.ts'
import { readMeasures } from './read-measures.ts'

const FIXTURES = new URL('fixtures/', import.meta.url)

const shown = ({ name, value, unit, platform, part }: LogMeasure) => [
  [name, platform, part].filter(Boolean).join(' '),
  `${value} ${unit}`.trim(),
]
const read = (...lines: string[]) => Object.fromEntries(readMeasures(lines.join('\n')).map(shown))

test('a cook gives its seconds and memory for the platform of its command line', () => {
  expect(
    read(
      'LogInit: Command Line:  Game.uproject -run=Cook -TargetPlatform=Windows -unversioned',
      'LogCook: Display: Cook by the book total time in tick 33.454235s total time 36.054352',
      'LogCook: Display: Peak Used virtual 5334 MiB Peak Used physical 5157 MiB',
      'LogCook: Display: Packages Cooked: 2547, Packages Incrementally Skipped: 0, Packages Skipped by Platform: 116, Total Packages: 2663',
    ),
  ).toEqual({
    'cook_seconds Windows': '36.054352 s',
    'cook_tick_seconds Windows': '33.454235 s',
    'cook_peak_virtual Windows': '5334 MiB',
    'cook_peak_physical Windows': '5157 MiB',
    'packages_cooked Windows': '2547 count',
    'packages_total Windows': '2663 count',
  })
})

test('two platforms in one log have separate measures, and the last line of each counts', () => {
  const cook = (platform: string, seconds: string) =>
    `UATHelper: Packaging (${platform}): LogCook: Display: Cook by the book total time ${seconds}`
  expect(read(cook('Windows (64-bit)', '10.5'), cook('Android (ASTC)', '20'), cook('Android (ASTC)', '21'))).toEqual({
    'cook_seconds Windows (64-bit)': '10.5 s',
    'cook_seconds Android (ASTC)': '21 s',
  })
})

test('time stamps of a CI and of the engine are cut off', () => {
  expect(
    read(
      '2026-03-30T09:48:50.3844369Z   [2026.03.30-09.48.50:611][  0]LogPakFile: Display: UnrealPak executed in 2.140510 seconds',
    ),
  ).toEqual({ unrealpak_seconds: '2.14051 s' })
})

test('shaders are summed over the groups of the statistics, and the hit rate of the cache is a ratio', () => {
  const line = (text: string) => `LogCookStats: Display: ${text}`
  expect(
    read(
      ...['MaterialShader.Misc', '    ShadersCompiled=40', 'GlobalShader.Misc', '    ShadersCompiled=2'].map(line),
      ...['DDC Summary Stats', '=================', 'TotalGets       =       473', 'TotalGetHitPct  =  0.950000'].map(line),
      line('    CompressionRatio=-nan(ind)'),
    ),
  ).toEqual({ shaders_compiled: '42 count', ddc_gets: '473 count', ddc_hit_rate: '0.95 ratio' })
})

test('a pak file is measured under its own name, whichever was announced last', () => {
  const line = (text: string) => `LogPakFile: Display: ${text}`
  expect(
    read(
      line(String.raw`Creating pak D:\Game\Saved\Paks\pakchunk0-Windows.pak.`),
      line(String.raw`Creating pak D:\Game\Saved\Paks\pakchunk1-Windows.pak.`),
      line(String.raw`Created pak file: D:\Game\Saved\Paks\pakchunk0-Windows.pak`),
      line('Added 1470 files, 38822947 bytes total'),
      line(String.raw`Created pak file: D:\Game\Saved\Paks\pakchunk1-Windows.pak`),
      line('Added 0 files, 339 bytes total, time 0.05s.'),
    ),
  ).toEqual({
    'pak_bytes pakchunk0-Windows': '38822947 bytes',
    'pak_files pakchunk0-Windows': '1470 count',
    'pak_bytes pakchunk1-Windows': '339 bytes',
    'pak_files pakchunk1-Windows': '0 count',
  })
})

test('only the container table with sizes is read', () => {
  const line = (text: string) => `LogIoStore: Display: ${text}`
  expect(
    read(
      line('Container                           Flags   TOC Size (KB)     TOC Entries       Size (MB)           Compressed (MB)'),
      line('-------------------------------------------------------------------------------------------'),
      line('pakchunk0-Windows                 C/-/-/I          127.01             573          342.90     132.84 (61.26% Oodle)'),
      line('TOTAL                                              128.06             577          344.66                         -'),
      line(''),
      line('Container                         Packages    Shaders'),
      line('pakchunk0-Windows                       14         412                 7             3'),
    ),
  ).toEqual({
    'iostore_size pakchunk0-Windows': '342.9 MB',
    'iostore_compressed pakchunk0-Windows': '132.84 MB',
    'iostore_size TOTAL': '344.66 MB',
  })
})

test("Unity's build report gives sizes in bytes", () => {
  expect(
    read(
      'Build Report',
      'Uncompressed usage by category (Percentages based on user generated assets only):',
      'Textures               10.9 mb\t 92.1% ',
      'Total User Assets      11.8 mb\t 100.0% ',
      'Complete build size    100.0 mb',
      'Used Assets and files from the Resources folder, sorted by uncompressed size:',
      ' 5.9 mb\t 5.9% Assets/Resources/UI/MainMenuBackground.png',
      "Build completed with a result of 'Succeeded' in 7 seconds (7267 ms)",
    ),
  ).toEqual({
    'size Textures': '11429478 bytes',
    user_assets_size: '12373197 bytes',
    build_size: '104857600 bytes',
    build_seconds: '7.267 s',
  })
})

test('other tools: own measures, TeamCity statistics, Gradle and Xcode', () => {
  expect(
    read(
      '##goldmaster[measure name=load_time unit=s value=3.2 platform=PS5]',
      "##teamcity[buildStatisticValue key='warnings' value='17']",
      'BUILD SUCCESSFUL in 1m 10s',
      'Variant: Game-iPhone.ipa',
      'App size: 6.7 MB compressed, 1.2 GB uncompressed',
      '##goldmaster[measure name=broken value=soon]',
      '##goldmaster[measure name=negative value=-3]',
    ),
  ).toEqual({
    'load_time PS5': '3.2 s',
    warnings: '17',
    gradle_seconds: '70 s',
    'ipa_download Game-iPhone.ipa': '6.7 MB',
    'ipa_install Game-iPhone.ipa': '1200 MB',
  })
})

test.each([
  ['985ms', '0.985 s'],
  ['0s', '0 s'],
  ['1s', '1 s'],
  ['59s', '59 s'],
  ['1m', '60 s'],
  ['2m 5s', '125 s'],
  ['1h 2m 3s', '3723 s'],
  ['1d 2h 3m 4s', '93784 s'],
])('a Gradle build that took %s is measured as %s', (words, seconds) => {
  expect(read(`BUILD SUCCESSFUL in ${words}`)).toEqual({ gradle_seconds: seconds })
})

test('a duration that Gradle does not write is no measure', () => {
  expect(read('BUILD SUCCESSFUL in 5 m', 'BUILD SUCCESSFUL in hms', 'BUILD SUCCESSFUL in 12')).toEqual({})
})

test('the cook statistics give what was built and processed for each kind of asset, of the last cook', () => {
  const rows = (textures: string) => [
    'LogCookStats: Display: DDC Resource Stats',
    'LogCookStats: Display: Asset Type                          Total Time (Sec)  GameThread Time (Sec)  Assets Built  MB Processed',
    'LogCookStats: Display: ----------------------------------  ----------------  ---------------------  ------------  ------------',
    'LogCookStats: Display: MaterialShader                                  0.16                   0.16             2          4.78',
    `LogCookStats: Display: Texture (Streaming)                             0.05                   0.00            12  ${textures}`,
  ]
  expect(read(...rows('       1.00'), ...rows('      30.22'))).toEqual({
    ddc_built: '14 count',
    'ddc_built MaterialShader': '2 count',
    'ddc_built Texture (Streaming)': '12 count',
    ddc_processed: '35 MB',
    'ddc_processed MaterialShader': '4.78 MB',
    'ddc_processed Texture (Streaming)': '30.22 MB',
  })
})

test.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.txt')))(
  'the log %s gives exactly its expected measures',
  (file) => {
    const found = readMeasures(readFileSync(new URL(file, FIXTURES), 'utf8'))
    expect(Object.fromEntries(found.map(shown))).toEqual((EXPECTED as Record<string, object>)[file])
    expect(found).toHaveLength(Object.keys((EXPECTED as Record<string, object>)[file]!).length)
  },
)
