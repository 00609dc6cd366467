import { describe, expect, test } from 'vitest'
import { readLog } from './read-log.ts'

const ESC = '\u001b'
const texts = (log: string) => readLog(log).lines.map(({ text }) => text)
const looks = (log: string) =>
  readLog(log).lines.map(({ text, spans }) => spans.map(({ from, to, style }) => [text.slice(from, to), style] as const))

describe('a terminal', () => {
  test('ends lines as on Unix and Windows, and the last one once', () => {
    expect(texts('one\r\n\ntwo\n')).toEqual(['one', '', 'two'])
    expect(texts('')).toEqual([])
  })

  test('overwrites after a carriage return or a backspace', () => {
    expect(texts('10 %\r55 %\r100 %\nabc\b\bX\nlonger text\rshort')).toEqual(['100 %', 'aXc', 'shortr text'])
    expect(texts(`half${ESC}[2K\rdone\nhalf done\rdone${ESC}[K`)).toEqual(['done', 'done'])
    expect(texts(`half${ESC}[2Kdone\nhalf${ESC}[1K done`)).toEqual(['done', 'half done'])
    expect(texts(`ab${ESC}[1Dc${ESC}[3Cd${ESC}[1Ge`)).toEqual(['ec   d'])
  })

  test('sets tabs at every eighth column', () => {
    expect(texts('a\tb\n12345678\tc')).toEqual(['a       b', '12345678        c'])
  })

  test('has 16, 256 and all colors, with a style that lasts beyond its line', () => {
    const [first, second] = looks(`${ESC}[1;31mred${ESC}[0m plain ${ESC}[38;5;196mcube${ESC}[38;2;1;2;3mtrue\nstill${ESC}[m not`)
    expect(first!.map(([text, { color, bold }]) => [text, color, bold])).toEqual([
      ['red', 'rgb(205 49 49)', true],
      ['cube', 'rgb(255 0 0)', false],
      ['true', 'rgb(1 2 3)', false],
    ])
    expect(second!.map(([text, { color }]) => [text, color])).toEqual([['still', 'rgb(1 2 3)']])
  })

  test('reads colors joined by colons, and backgrounds, and skips invalid ones', () => {
    const [first] = looks(`${ESC}[38:2::9:8:7;48:5;244ma${ESC}[38;5;999;48;2;1mb${ESC}[7;39;49mc`)
    expect(first!.map(([text, { color, background, inverse }]) => [text, color, background, inverse])).toEqual([
      ['ab', 'rgb(9 8 7)', 'rgb(128 128 128)', false],
      ['c', '', '', true],
    ])
  })

  test('hides titles, links and marks, and nothing after one without an end', () => {
    expect(
      texts(`${ESC}]0;title\u0007a${ESC}]8;;https://evil.example${ESC}\\link${ESC}]8;;${ESC}\\b${ESC}_bk;t=1\u0007c`),
    ).toEqual(['alinkbc'])
    expect(texts(`a${ESC}]0;never ended\nb${ESC}[31;\nc${ESC}`)).toEqual(['a0;never ended', 'b31;', 'c'])
    expect(texts(`${ESC}[8mconcealed`)).toEqual(['concealed'])
  })

  test('marks characters that would change the reading direction or break the line', () => {
    expect(texts('if (user\u202e) \u2066x\u2069 a\u2028b\u200b\ufeffc\u0007\u0085')).toEqual(['if (user�) �x� a�bc'])
  })

  test('handles hostile logs', () => {
    for (const flood of [
      `${ESC}[31m`,
      `${ESC}[500Cx`,
      `${ESC}[2Kx`,
      'a\r',
      'a\b',
      `${ESC}]`,
      `${ESC}[`,
      '\t',
      `${ESC}[1;`,
      '##[group]\n',
    ])
      expect(readLog(flood.repeat(256_000 / flood.length)).lines.length, flood).toBeGreaterThan(0)
    expect(texts(`${ESC}[999999999Cx`)[0]).toHaveLength(501)
  })
})

describe('timestamps', () => {
  test('are separated from their line', () => {
    const read = readLog(
      [
        '2026-10-01T10:00:00.1234567Z one',
        '[2026-10-01T10:00:00.123Z] two',
        '10:00:00  three',
        '[2026.10.01-10.00.00:123][  7]LogCook: four',
        `${ESC}_bk;t=1790848800000\u0007five`,
        '10:00:00am is no time of ours',
      ].join('\n'),
    )
    expect(read.lines.map(({ stamp, text }) => [stamp, text])).toEqual([
      ['2026-10-01T10:00:00.1234567Z', 'one'],
      ['[2026-10-01T10:00:00.123Z]', 'two'],
      ['10:00:00', 'three'],
      ['[2026.10.01-10.00.00:123][  7]', 'LogCook: four'],
      ['2026-10-01T10:00:00.000Z', 'five'],
      ['', '10:00:00am is no time of ours'],
    ])
  })

  test('leave colors unchanged', () => {
    expect(looks(`10:00:00 ${ESC}[31mred`)[0]!.map(([text]) => text)).toEqual(['red'])
  })
})

describe('sections of a log', () => {
  const parts = (...lines: string[]) => {
    const read = readLog(lines.join('\n'))
    return read.groups.map(({ line, last, depth, isClosed }) => [read.lines[line - 1]!.text, last, depth, isClosed])
  }

  test('follow the markers of each CI', () => {
    expect(parts('2026-10-01T10:00:00Z ##[group]Check out', 'a', '##[endgroup]')).toEqual([['Check out', 3, 0, true]])
    expect(parts('::group::Set up', 'a', '::endgroup::', 'b')).toEqual([['Set up', 3, 0, true]])
    expect(
      parts(
        `section_start:1:get[collapsed=true]\r${ESC}[0KGet sources`,
        'a',
        `section_end:2:get\r${ESC}[0Ksection_start:2:run\r${ESC}[0KRun`,
        'b',
      ),
    ).toEqual([
      ['Get sources', 3, 0, true],
      ['Run', 4, 0, false],
    ])
    expect(parts("##teamcity[blockOpened name='It|'s' description='x']", 'a', "##teamcity[blockClosed name='It|'s']")).toEqual([
      ["It's", 3, 0, true],
    ])
    expect(parts('~~~ Agent', 'a', '--- Build', 'b', '+++ Test', 'c')).toEqual([
      ['Agent', 2, 0, true],
      ['Build', 4, 0, true],
      ['Test', 6, 0, false],
    ])
    expect(parts('[Pipeline] { (Compile)', '[Pipeline] {', 'a', '[Pipeline] }', 'b', '[Pipeline] }', 'c')).toEqual([
      ['Compile', 6, 0, true],
    ])
    expect(parts('********** COOK COMMAND STARTED **********', 'a', '********** COOK COMMAND COMPLETED **********')).toEqual([
      ['COOK', 3, 0, true],
    ])
  })

  test('are the nodes of a BuildGraph, with the commands inside them', () => {
    expect(
      parts(
        '****** [1/2] Compile Editor',
        'a',
        '****** [2/2] Cook',
        '********** COOK COMMAND STARTED **********',
        'LogCook: Display: Cooking /Game/Maps/Lighthouse',
        '********** COOK COMMAND COMPLETED **********',
        'b',
      ),
    ).toEqual([
      ['[1/2] Compile Editor', 2, 0, true],
      ['[2/2] Cook', 7, 0, false],
      ['COOK', 6, 1, true],
    ])
  })

  test('are, without CI markers, the commands, the phases of an engine and the targets of a build tool', () => {
    expect(
      parts(
        '$ unity-editor -batchmode',
        'DisplayProgressbar: Compiling Scripts',
        'a',
        'DisplayProgressbar: Building Player',
        'Compiling shader "Lit"',
        'Compiling shader "Unlit"',
        'Build Finished, Result: Success.',
        '> Task :launcher:preBuild UP-TO-DATE',
        '> Task :launcher:compile',
        'Note: deprecated',
        'BUILD SUCCESSFUL in 3s',
        'b',
        'The command "unity-editor -batchmode" exited with 0.',
        'c',
        '$ next',
        'd',
      ),
    ).toEqual([
      ['$ unity-editor -batchmode', 13, 0, true],
      ['DisplayProgressbar: Compiling Scripts', 3, 1, true],
      ['DisplayProgressbar: Building Player', 7, 1, true],
      ['Compiling shader "Lit"', 7, 2, true],
      ['> Task :launcher:compile', 11, 1, true],
      ['$ next', 16, 0, false],
    ])
    for (const target of [
      '1>------ Build started: Project: Game, Configuration: Development x64 ------',
      'Project "C:\\ws\\Game.sln" on node 1 (Build target(s)).',
      '[INFO] --- maven-compiler-plugin:3.8.1:compile (default-compile) @ tools ---',
      '=== BUILD TARGET Game OF PROJECT Game WITH CONFIGURATION Release ===',
    ])
      expect(parts(target, 'a', target, 'b')).toEqual([
        [target, 2, 0, true],
        [target, 4, 0, false],
      ])
  })

  test('without markers end where a marked one starts', () => {
    expect(parts('--- Build', '$ make', 'a', '--- Test', '$ make test', 'b')).toEqual([
      ['Build', 3, 0, true],
      ['$ make', 3, 1, true],
      ['Test', 6, 0, false],
      ['$ make test', 6, 1, false],
    ])
  })

  test('are not the two files of a diff, nor test results', () => {
    expect(parts('--- a/x.cpp', '+++ b/x.cpp', '-old', '--- FAIL: TestX (0.1s)', 'more')).toEqual([])
  })

  test('can be nested, end without a start, and start without an end', () => {
    expect(parts('##[endgroup]', '##[group]A', '##[group]B', 'x', '##[endgroup]', 'y')).toEqual([
      ['A', 6, 0, false],
      ['B', 5, 1, true],
    ])
  })
})
