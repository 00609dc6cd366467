import { expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'

const linesOf = (...lines: string[]) => diagnose(lines.join('\n'))
const leadOf = (...lines: string[]) => linesOf(...lines).evidence[0]!.line

const SUREFIRE = [
  'Running com.acme.HeroTest',
  'Tests run: 9, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec - in com.acme.HeroTest',
  'Running com.acme.ShieldTest',
  'Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.2 sec <<< FAILURE! - in com.acme.ShieldTest',
  'holds(com.acme.ShieldTest)  Time elapsed: 0.01 sec  <<< FAILURE!',
  'java.lang.AssertionError: expected:<1> but was:<2>',
  '\tat com.acme.ShieldTest.holds(ShieldTest.java:12)',
  '',
  'Results :',
  '',
  'Failed tests:',
]

it.each(['  ShieldTest.holds:12 expected:<1> but was:<2>', '  holds(com.acme.ShieldTest): expected:<1> but was:<2>'])(
  'a summary of tests is replaced with the place where its first test failed: %s',
  (summary) => {
    const found = linesOf(...SUREFIRE, summary, '', 'Tests run: 11, Failures: 1, Errors: 0, Skipped: 0')
    expect(found.evidence.slice(0, 2).map(({ line }) => line)).toEqual([5, 6])
    expect(found.diagnosis).toContain('holds(com.acme.ShieldTest)')
  },
)

it('a test that failed for an unknown reason keeps its summary', () => {
  expect(leadOf(...SUREFIRE, '  ShieldTest.bends:30 » NullPointer', '', 'Tests run: 11, Failures: 1')).toBe(12)
})

it('a first test on the line of the heading stays there', () => {
  expect(
    leadOf('Results :', '', 'Failed tests:   bends(com.acme.ShieldTest): expected:<1> but was:<0>', '', 'Tests run: 3'),
  ).toBe(3)
})

it('the subtest with the reason is preferred to its parents', () => {
  const lines = [
    '--- FAIL: TestHarbor (0.30s)',
    '    --- PASS: TestHarbor/crane (0.10s)',
    '    --- FAIL: TestHarbor/ships (0.20s)',
    '        --- FAIL: TestHarbor/ships/large (0.20s)',
    '            harbor_test.go:40: expected 3 ships, got 2',
    'FAIL',
    'FAIL\tgame/harbor\t0.4s',
  ]
  expect(leadOf(...lines)).toBe(4)
  expect(
    linesOf('=== RUN   TestCrane', '    crane_test.go:9: expected 3, got 2', '--- FAIL: TestCrane (0.0s)', 'FAIL').diagnosis,
  ).toContain('expected 3, got 2')
})

it('the reason of a crash is preferred to the line that announces it', () => {
  const lines = [
    'LogWindows: Error: === Critical error: ===',
    'LogWindows: Error:',
    'LogWindows: Error: Fatal error: [File:D:/ws/Engine/Source/Harbor.cpp] [Line: 412]',
    'LogWindows: Error: Could not load the required map Harbor_P',
    'LogWindows: Error: [Callstack] 0x00007ff UnrealEditor-Core.dll!UnknownFunction []',
  ]
  expect(leadOf(...lines)).toBe(4)
})

it.each([
  ['a file named like an error', 'Parsing Error.swift (2/21)'],
  ['a folder named like an error', 'copying assets/errors/failed/missing.png'],
  ['a passed test about errors', 'PASS test/harbor: should refuse unknown ships'],
  ['an ignored failure of make', 'make: [Makefile:12: clean] Error 1 (ignored)'],
])('%s is not the cause', (_, line) => {
  const lines = [
    '$ ./build.sh',
    'the tide is too low for this harbor',
    ...Array.from({ length: 20 }, (_, i) => `loading ship ${i}`),
  ]
  const end = 'The command "./build.sh" exited with 1.'
  expect(leadOf(...lines, line, 'unloading the last ship', end)).not.toBe(lines.length + 1)
})

it('usage text after the reason is not the cause', () => {
  const usage = [
    'Usage: pack [options] FILE',
    '  -e, --errors   expected errors, must not be missing',
    '  -f  fail on unknown files',
  ]
  expect(leadOf('$ ./pack -q', "Illegal switch 'q'!", ...usage, 'The command "./pack -q" exited with 1.')).toBe(2)
})

it('a failure in another step is shown too', () => {
  const steps = [
    '$ make client',
    'src/client.c:3:1: error: unknown type name ‘ship’',
    'The command "make client" exited with 2.',
    '$ make server',
    'src/server.c:9:2: error: expected ‘;’ before ‘}’ token',
    'The command "make server" exited with 2.',
  ]
  const found = linesOf(...steps)
  expect(found.evidence.map(({ line }) => line)).toEqual([2, 5])
  expect(found.diagnosis).toContain('A separate failure is in line 5: src/server.c:9:2')
  expect(linesOf(...steps.slice(0, 3)).diagnosis).not.toContain('separate')
})
