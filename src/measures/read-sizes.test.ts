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
