import { expect, test } from 'vitest'
import { titleOf } from './breakage-words.ts'

const titled = (text: string) => titleOf({ evidence: [{ line: 1, text }], cause: 'It broke.', jobs: ['Cook'] })

test.each([
  ['D:\\j\\ws\\Source\\Oxygen.cpp(118): error C2065', 'Oxygen.cpp(118): error C2065'],
  ["  Couldn't find '/Game/Props/Buoy/MI_Wet' \nmore", "Couldn't find 'MI_Wet'"],
  ['src/part5.c:54:3: error', 'src/part5.c:54:3: error'],
  ['get https://example.com/a/b/c failed', 'get https://example.com/a/b/c failed'],
])('%j is called %j', (text, title) => expect(titled(text)).toBe(title))

test('a breakage without evidence is called by its cause, without one by its jobs', () => {
  expect(titleOf({ evidence: [], cause: 'It broke.\nBadly.', jobs: ['Cook'] })).toBe('It broke.')
  expect(titleOf({ evidence: [], cause: '', jobs: ['Cook', 'Test'] })).toBe('Cook, Test failed')
})
