import { describe, expect, test } from 'vitest'
import { extended, readRange, writeRange } from './line-range.ts'
import { linksOf, type Whereabouts } from './links.ts'
import { stretchesOf } from './pieces.ts'
import { fileAddress, repositoryPath } from './repository-files.ts'
import { findPattern, findWords } from './search.ts'
import { PLAIN } from './text-style.ts'
import { errorLines, stepFrom } from './trouble.ts'

describe('a search', () => {
  test('finds words in any case with their offsets, and nothing for an empty query', () => {
    const found = findWords(['One', 'two', 'ONE more one'], 'one')
    expect(found.lines).toEqual([1, 3])
    expect(found.ranges.get(3)).toEqual([
      [0, 3],
      [9, 12],
    ])
    expect(findWords(['One'], '').lines).toEqual([])
    // The dotted capital I becomes two characters in lower case.
    expect(findWords(['\u0130 one'], 'one').ranges.get(1)).toEqual([])
  })

  test('finds matches of an expression, and no empty match', () => {
    const found = findPattern(['error C2065', 'nothing', 'Error C1'], 'error c(\\d+)')
    expect([...found.ranges]).toEqual([
      [1, [[0, 11]]],
      [3, [[0, 8]]],
    ])
    expect(findPattern(['bbb', 'ab'], 'a*').lines).toEqual([2])
  })

  test('steps in both directions and wraps around', () => {
    expect([stepFrom([2, 5], undefined, 1), stepFrom([2, 5], 2, 1), stepFrom([2, 5], 5, 1)]).toEqual([2, 5, 2])
    expect([stepFrom([2, 5], 5, -1), stepFrom([2, 5], 2, -1), stepFrom([], 2, -1)]).toEqual([2, 5, undefined])
  })
})

test('lines that look like errors are found, and those that report zero errors are not', () => {
  const lines = ['a.cpp(5): error C2065', 'Build succeeded: 0 errors', 'Errors: 0', 'FATAL: no disk', 'terror']
  expect(errorLines(lines.map((text) => ({ text })))).toEqual([1, 4])
})

test('a URL contains one line or a range, whichever end was selected first', () => {
  expect(readRange('#L12')).toEqual({ first: 12, last: 12 })
  expect(readRange('#L20-L10')).toEqual({ first: 10, last: 20 })
  expect([readRange('#L'), readRange('#Lx'), readRange('')]).toEqual([undefined, undefined, undefined])
  expect(writeRange(extended({ first: 10, last: 10 }, 20))).toBe('#L10-L20')
  expect(writeRange(extended(undefined, 3))).toBe('#L3')
})

describe('links of a line', () => {
  const where: Whereabouts = {
    fileAt: (path, line) => (path.endsWith('.cpp') ? `https://git.example/${path}#L${line}` : undefined),
    changeAt: (identifier) => (['abc1234', '77'].includes(identifier) ? `/changes/${identifier}` : undefined),
  }
  const links = (text: string) => linksOf(text, where).map(({ from, to, href }) => [text.slice(from, to), href])

  test('lead only to known URLs, files and changes', () => {
    expect(links('see https://ci.example/a?b=1. or javascript:alert(1)')).toEqual([
      ['https://ci.example/a?b=1', 'https://ci.example/a?b=1'],
    ])
    expect(links('Source\\Game\\Combat.cpp(540): and src/a.cpp:7:3 and b.rs:1')).toEqual([
      ['Source\\Game\\Combat.cpp(540)', 'https://git.example/Source\\Game\\Combat.cpp#L540'],
      ['src/a.cpp:7', 'https://git.example/src/a.cpp#L7'],
    ])
    expect(links('at abc1234, CL 77, @77, deadbeef')).toEqual([
      ['abc1234', '/changes/abc1234'],
      ['CL 77', '/changes/77'],
      ['77', '/changes/77'],
    ])
  })

  test('are found in hostile lines without freezing', () => {
    for (const flood of ['a', 'a/', '.a', 'a.', '/', 'a@', 'https://', '0123456', 'C:\\', 'CL '])
      expect(linksOf(flood.repeat(4_000), where), flood).toBeDefined()
  })
})

test('a line is split where a style, a match and a link start and end', () => {
  const style = { ...PLAIN, bold: true }
  const cut = stretchesOf('0123456789', {
    spans: [{ from: 2, to: 6, style }],
    found: [[5, 7]],
    links: [{ from: 4, to: 8, href: '/x' }],
  })
  expect(
    cut.map(({ href, pieces }) => [href, pieces.map(({ text, style, isFound }) => [text, style?.bold ?? false, isFound])]),
  ).toEqual([
    [
      undefined,
      [
        ['01', false, false],
        ['23', true, false],
      ],
    ],
    [
      '/x',
      [
        ['4', true, false],
        ['5', true, true],
        ['6', false, true],
        ['7', false, false],
      ],
    ],
    [undefined, [['89', false, false]]],
  ])
  expect(stretchesOf('', { spans: [], found: [], links: [] })).toEqual([])
})

describe('a file of a build machine', () => {
  const repository = { file_url: 'https://git.example/blob/{path}#L{line}', roots: ['Source', 'Content'] }

  test('is in the repository below the first known top folder', () => {
    expect(repositoryPath('D:\\ws\\game\\Source\\A B.cpp', repository)).toBe('Source/A B.cpp')
    expect(repositoryPath('/home/ci/source/a.cpp', repository)).toBe('Source/a.cpp')
    expect(repositoryPath('/usr/include/stdio.h', repository)).toBeUndefined()
    expect(repositoryPath('Source/../../etc/passwd', repository)).toBeUndefined()
  })

  test('has a URL only if one is known', () => {
    expect(fileAddress('Source/$& é.cpp', 7, repository)).toBe('https://git.example/blob/Source/%24%26%20%C3%A9.cpp#L7')
    expect(fileAddress('Source/a.cpp', 7, { ...repository, file_url: 'javascript:alert(1)' })).toBeUndefined()
    expect(fileAddress('Source/a.cpp', 7, { ...repository, file_url: '' })).toBeUndefined()
  })
})
