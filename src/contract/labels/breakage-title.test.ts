import { expect, test } from 'vitest'
import { titleOf } from './breakage-title.ts'

const titled = (text: string) => titleOf({ evidence: [{ line: 1, text }], cause: 'It broke.', jobs: ['Cook'] })

test.each([
  ['D:\\j\\ws\\Source\\Oxygen.cpp(118): error C2065', 'Oxygen.cpp(118): error C2065'],
  ["  Couldn't find '/Game/Props/Buoy/MI_Wet' \nmore", "Couldn't find 'MI_Wet'"],
  ['src/part5.c:54:3: error', 'src/part5.c:54:3: error'],
  ['get https://example.com/a/b/c failed', 'get https://example.com/a/b/c failed'],
  ['[2026.10.01-08.00.00:123][512]LogCook: Error: /Game/Maps/Cave.umap: missing texture', 'Cave.umap: missing texture'],
  ['UATHelper: Packaging (Windows): LogInit: Display: LogShaders: Error: Failed to compile', 'Failed to compile'],
  ['2026-10-01T08:00:00.123Z ##[error]src/part5.c:54:3: error', 'src/part5.c:54:3: error'],
  ['[08:00:00] 12>D:\\My Game\\Source\\Roll.cpp(12,9): error: no [D:\\ws\\Game.vcxproj]', 'Roll.cpp(12,9): error: no'],
  ['/home/build agent/My Game/Source/Roll.cpp:12:9: error: no', 'Roll.cpp:12:9: error: no'],
  [
    '[2026.10.01-08.00.00:123][ 12]LogAutomationController: Error: Test Completed. Result={Fail} Name={Jump} Path={Game.Player.Jump}',
    'Game.Player.Jump failed',
  ],
  ['[  FAILED  ] Roll.Dice (3 ms)', 'Roll.Dice failed'],
  ['FAILED tests/test_roll.py::test_dice - AssertionError: 7', 'tests/test_roll.py::test_dice failed: AssertionError: 7'],
  ['--- FAIL: TestDice (0.00s)', 'TestDice failed'],
  ['test roll::dice ... FAILED', 'roll::dice failed'],
  ['Failed   Game.Tests.Dice [12 ms]', 'Game.Tests.Dice failed'],
])('%j is called %j', (text, title) => expect(titled(text)).toBe(title))

test('a breakage without evidence is called by its cause, without one by its jobs', () => {
  expect(titleOf({ evidence: [], cause: 'It broke.\nBadly.', jobs: ['Cook'] })).toBe('It broke.')
  expect(titleOf({ evidence: [], cause: '', jobs: ['Cook', 'Test'] })).toBe('Cook, Test failed')
})

test('a line of nothing but a prefix stays as it is', () => {
  expect(titled('PackagingResults:')).toBe('PackagingResults:')
})
