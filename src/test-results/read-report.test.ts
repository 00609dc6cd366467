import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readReport } from './read-report.ts'
import { isFailing, type TestReport, titleOf } from './test-case.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

interface Expected {
  tests: number
  passed: number
  failed: number
  errors: number
  skipped: number
  first_failing: string | null
}

const expected = JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8')) as Record<
  string,
  Expected | { refused: string }
>

const read = (text: string) => readReport(Buffer.from(text))

function countsOf({ cases }: TestReport): Expected {
  const count = (...outcomes: string[]) => cases.filter(({ outcome }) => outcomes.includes(outcome)).length
  const first = cases.find(isFailing)
  return {
    tests: cases.length,
    passed: count('passed', 'flaky'),
    failed: count('failed'),
    errors: count('error'),
    skipped: count('skipped'),
    first_failing: first ? titleOf(first) : null,
  }
}

test.each(Object.entries(expected))('%s gives the counts that its project expects', async (file, counts) => {
  const reading = readReport(readFileSync(join(FIXTURES, file)))
  if ('refused' in counts) await expect(reading).rejects.toThrow(counts.refused)
  else expect(countsOf(await reading)).toEqual(counts)
})

describe('JUnit', () => {
  test('a case that passed when run again is flaky and keeps the message of the failed attempt', async () => {
    const { cases } = await readReport(readFileSync(join(FIXTURES, 'junit__surefire_flaky.xml')))
    expect(cases).toMatchObject([{ outcome: 'flaky', message: expect.stringMatching(/\S/) }])
  })

  test('the worst child decides, and the trace names file and line', async () => {
    const { cases } = await read(`<testsuite name="s"><testcase classname="C" name="a" time="1,234.5">
      <skipped/><failure message="too late">at Fire (Weapon.cpp:12)</failure></testcase></testsuite>`)
    expect(cases).toMatchObject([{ suite: 's', outcome: 'failed', duration_ms: 1_234_500, file: 'Weapon.cpp', line: 12 }])
  })

  test('what a passed test printed is not kept, and of a failed one the end is', async () => {
    const long = `${'x'.repeat(100_000)} last words`
    const { cases } = await read(`<testsuite><testcase name="good"><system-out>${long}</system-out></testcase>
      <testcase name="bad"><failure/><system-out>${long}</system-out></testcase></testsuite>`)
    expect(cases[0]).toMatchObject({ outcome: 'passed', output: '' })
    expect(cases[1]!.output).toMatch(/ last words$/)
    expect(cases[1]!.output.length).toBeLessThanOrEqual(4096)
  })
})

describe('TRX', () => {
  const results = (inside: string, summary: string) => `<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
    <Results>${inside}</Results><ResultSummary outcome="${summary}"><RunInfos><RunInfo outcome="Error"><Text>The host process crashed.</Text></RunInfo></RunInfos></ResultSummary>
    <TestDefinitions><UnitTest id="1"><TestMethod className="Game.Ai, Game, Version=1.0" name="Walks"/></UnitTest></TestDefinitions></TestRun>`

  test('a run that was aborted between tests is an error, though all of them passed', async () => {
    const report = await read(
      results('<UnitTestResult testId="1" testName="Walks" outcome="Passed" duration="00:01:02.5"/>', 'Aborted'),
    )
    expect(report.cases).toMatchObject([
      { class: 'Game.Ai', name: 'Walks', outcome: 'passed', duration_ms: 62_500 },
      { outcome: 'error', message: 'The host process crashed.' },
    ])
  })

  test('a data-driven test counts its rows, not their sum', async () => {
    const row = (outcome: string) => `<UnitTestResult testId="1" testName="Walks (1)" outcome="${outcome}"/>`
    const outer = `<UnitTestResult testId="1" testName="Walks" outcome="Failed"><InnerResults>${row('Passed')}${row('Failed')}</InnerResults></UnitTestResult>`
    expect(countsOf(await read(results(outer, 'Failed')))).toMatchObject({ tests: 2, passed: 1, failed: 1 })
  })
})

test('the report form of Boost.Test counts an aborted case as an error', async () => {
  const report = await read(`<TestResult><TestSuite name="Ai"><TestCase name="walks" result="passed"/>
    <TestCase name="jumps" result="aborted"/><TestCase name="swims" result="skipped"/></TestSuite></TestResult>`)
  expect(countsOf(report)).toMatchObject({ tests: 3, passed: 1, errors: 1, skipped: 1, first_failing: 'Ai.jumps' })
})

describe('Unreal Automation', () => {
  const unreal = (tests: object[]) =>
    `\uFEFF${JSON.stringify({ devices: [{ platform: 'WindowsEditor', rHI: 'D3D12' }], failed: 0, tests }, null, '\t')}`

  test('a report that a crash left behind is red, though its counters say that nothing failed', async () => {
    const report = await read(
      unreal([
        { testDisplayName: 'Loads', fullTestPath: 'Game.Maps.Loads', state: 'Success', entries: [] },
        { testDisplayName: 'Saves', fullTestPath: 'Game.Maps.Saves', state: 'InProcess', entries: [] },
        { testDisplayName: 'Quits', fullTestPath: 'Game.Maps.Quits', state: 'NotRun', entries: [] },
      ]),
    )
    expect(report).toMatchObject({ platform: 'WindowsEditor', rhi: 'D3D12' })
    expect(countsOf(report)).toMatchObject({ passed: 1, errors: 1, skipped: 1, first_failing: 'Game.Maps.Saves' })
    expect(report.cases[0]!.duration_ms).toBeNull()
  })

  test('a failure has its first error with file and line, and a name may contain dots', async () => {
    const entries = [
      { event: { type: 'Info', message: 'loading "] } map' }, filename: '', lineNumber: -1 },
      { event: { type: 'Error', message: 'Expected 3, got 4' }, filename: 'E:\\Game\\Source\\Ai.spec.cpp', lineNumber: 187 },
    ]
    const { cases } = await read(
      unreal([{ testDisplayName: 'v1.2 loads', fullTestPath: 'Game.Save.v1.2 loads', state: 'Fail', duration: 0.25, entries }]),
    )
    expect(cases).toMatchObject([
      {
        suite: 'Game.Save',
        name: 'v1.2 loads',
        outcome: 'failed',
        duration_ms: 250,
        message: 'Expected 3, got 4',
        file: 'E:\\Game\\Source\\Ai.spec.cpp',
        line: 187,
      },
    ])
  })
})

test('CTRF tells flaky tests and joins the names of suites', async () => {
  const { format, cases } = await read(
    JSON.stringify({
      results: {
        tool: { name: 'gtest' },
        tests: [
          { name: 'walks', status: 'passed', duration: 12, flaky: true, suite: ['Ai', 'Move'] },
          { name: 'jumps', status: 'failed', duration: 3, message: 'too low', filePath: 'Ai.cpp', line: 4 },
          { name: 'swims', status: 'pending', duration: 0 },
        ],
      },
    }),
  )
  expect(format).toBe('CTRF')
  expect(cases).toMatchObject([
    { suite: 'Ai › Move', outcome: 'flaky', duration_ms: 12 },
    { outcome: 'failed', message: 'too low', file: 'Ai.cpp', line: 4 },
    { outcome: 'skipped' },
  ])
})

describe('TAP', () => {
  test('a run that was given up is an error with its reason, unless a test failed', async () => {
    const { cases } = await read('TAP version 13\n1..2\nok 1 - boots\nBail out! The database is down\n')
    expect(cases.at(-1)).toMatchObject({ outcome: 'error', message: 'The database is down' })
    expect((await read('TAP version 13\n1..3\nok 1 - boots\nnot ok 2 - saves\n')).cases).toHaveLength(2)
  })

  test('subtests are counted instead of the line that sums them up', async () => {
    const report = await read(
      `TAP version 13\n# Subtest: Ai\n    ok 1 - walks\n    not ok 2 - jumps\n      ---\n      message: 'too low'\n      ...\n    1..2\nnot ok 1 - Ai\nok 2 - Maps # SKIP no GPU\nnot ok 3 - Sound # TODO later\n1..3\n`,
    )
    expect(countsOf(report)).toMatchObject({ tests: 4, passed: 1, failed: 1, skipped: 2, first_failing: 'jumps' })
    expect(report.cases[1]).toMatchObject({ suite: 'Ai', message: 'too low' })
    expect(report.cases[2]).toMatchObject({ message: 'no GPU' })
  })

  test('fewer results than planned are an error', async () => {
    expect(countsOf(await read('1..3\nok 1 - walks\n'))).toMatchObject({ passed: 1, errors: 1 })
  })
})

describe('encodings', () => {
  test('UTF-16 with a byte order mark and a declared code page are read', async () => {
    const xml = (encoding: string) =>
      `<?xml version="1.0" encoding="${encoding}"?><testsuite><testcase name="läuft"/></testsuite>`
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml('utf-16'), 'utf16le')])
    for (const bytes of [utf16, Buffer.from(xml('ISO-8859-1'), 'latin1')])
      expect((await readReport(bytes)).cases).toMatchObject([{ name: 'läuft' }])
  })
})

describe('refusals', () => {
  test.each([
    ['', 'Line 1: the file is empty'],
    ['hello', 'Line 1: neither XML nor JSON nor TAP'],
    ['{"a":\n1}', 'Line 2: JSON without the tests'],
    ['{"tests":[\n{"fullTestPath":"a"},', 'Line 2: the file ends inside the JSON'],
    ['{"tests":[\n{"fullTestPath":oops}]}', 'Line 2: a test that is not JSON'],
    ['{"tests":[{"name":"a"}]}', 'Line 1: a test without fullTestPath'],
    ['{"tests":[}', 'Line 1: an unexpected }'],
    ['<testsuite>\n<testcase', 'Line 2: '],
    ['<a/>', 'Line 1: <a> is not the root of a known test report'],
    [`<testsuite>${'<x>'.repeat(100)}`, 'Line 1: more than 64 elements'],
    [
      `<testsuite ${Array.from({ length: 300 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      'Line 1: an element with more than 200 attributes',
    ],
  ])('%j is refused with its line', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message)
  })

  test('entities are never expanded', async () => {
    const bomb = `<!DOCTYPE testsuite [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<testsuite name="&b;"/>`
    await expect(read(bomb)).rejects.toThrow('Line 2: undefined entity')
  })

  test('gzip that unpacks to a gigabyte is refused before it is unpacked', async () => {
    const spaces = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '))
    const gigabyte = Buffer.concat([gzipSync('<testsuite>'), ...Array<Buffer>(64).fill(spaces)])
    const before = process.memoryUsage().rss
    await expect(readReport(gigabyte)).rejects.toThrow('more than 64 MiB')
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024)
    await expect(readReport(gzipSync('<testsuite/>').subarray(0, 15))).rejects.toThrow('not valid gzip')
  })
})

test('50,000 cases are read in 200 turns or more, so that other requests get theirs', async () => {
  const cases = Array.from(
    { length: 50_000 },
    (_, i) => `<testcase classname="Game.Suite${i % 500}" name="case ${i}" time="0.01"/>`,
  )
  const bytes = gzipSync(`<testsuites><testsuite name="all">${cases.join('\n')}</testsuite></testsuites>`)
  let turns = 0
  let reading = true
  const count = () => {
    turns++
    if (reading) setImmediate(count)
  }
  setImmediate(count)
  const report = await readReport(bytes)
  reading = false
  expect(report.cases).toHaveLength(50_000)
  // Each turn reads 16 KiB, which is about 250 cases.
  expect(turns).toBeGreaterThan(200)
})

test('a test of more than 4 MiB of JSON is refused', async () => {
  const message = 'x'.repeat(5 * 1024 * 1024)
  const report = { results: { tool: { name: 'jest' }, tests: [{ name: 'walks', status: 'failed', duration: 1, message }] } }
  await expect(read(JSON.stringify(report))).rejects.toThrow('a test with more than 4 MiB')
})
