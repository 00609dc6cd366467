import { expect, test } from 'vitest'
import { failureOf, linesOf, rangeOf, searchOf, tailOf } from './log-views.ts'

test('a log without a final line break has the same lines as one with it', () => {
  expect(linesOf('a\nb')).toEqual(linesOf('a\nb\n'))
  expect(linesOf('')).toEqual([])
})

test('colors and overwritten progress are removed', () => {
  const lines = ['\u001b[31merror:\u001b[0m red\r', '10%\r50%\r100% done']
  expect(rangeOf(lines, 1, 2).log).toBe('1: error: red\n2: 100% done')
})

test('neighbors of two hits are shown once, and a gap is marked', () => {
  const lines = ['a', 'hit', 'b', 'hit', 'c', 'd', 'e', 'f', 'hit']
  expect(searchOf(lines, 'HIT', 1, 1).log).toBe('1: a\n2: hit\n3: b\n4: hit\n5: c\n--\n8: f\n9: hit')
})

test('lines that look like errors are shown with their context and the end', () => {
  const lines = [...Array.from({ length: 50 }, (_, i) => `step ${i}`), 'Fatal error: boom', ...Array(50).fill('cleaning up')]
  const { log, notes, first_line, last_line } = failureOf(lines, [])
  expect(log).toContain('49: step 48\n50: step 49\n51: Fatal error: boom\n52: cleaning up\n53: cleaning up\n--\n87: ')
  expect([first_line, last_line]).toEqual([49, 101])
  expect(notes[0]).toMatch(/^1 lines look like errors/)
})

test('lines cited by the investigation come before lines that look like errors', () => {
  const lines = ['start', 'error: usual noise', ...Array(40).fill('work'), 'the real reason', ...Array(40).fill('work')]
  const { log } = failureOf(lines, [43])
  expect(log).toContain('43: the real reason')
  expect(log).not.toContain('usual noise')
})

test('a single enormous line is cut and says by how much; wide characters count by their bytes', () => {
  const { log } = tailOf(['界'.repeat(100_000)], 5)
  expect(log).toBe(`1: ${'界'.repeat(600)}… (99400 more characters)`)
  const many = tailOf(Array(500).fill('界'.repeat(600)), 500)
  expect(Buffer.byteLength(many.log)).toBeLessThan(21_000)
  expect(many.last_line).toBe(500)
})

test('a search whose hits fill a reply continues after the last one shown, never in a circle', () => {
  const lines = Array.from({ length: 200 }, () => '界'.repeat(600))
  const seen: number[] = []
  for (let from = 1, rounds = 0; rounds < 60; rounds++) {
    const { notes, last_line } = searchOf(lines, '界', from, 20)
    seen.push(last_line!)
    const next = /from_line=(\d+)/.exec(notes.join())?.[1]
    if (!next) break
    expect(Number(next)).toBeGreaterThan(from)
    from = Number(next)
  }
  expect(seen.at(-1)).toBe(200)
})
