import { expect, it } from 'vitest'
import { workOf } from '../../../test/support/work.ts'
import type { Candidate, Finding } from '../finding.ts'
import { attribute } from './attribute.ts'

const finding = {
  category: 'compile_error',
  evidence: [{ line: 2501, text: '' }],
  file_path: null,
  clues: { rule: '', tool: '', message: '', files: [], symbols: [], tests: [] },
} as unknown as Finding

/** The best of a few runs is the time of the code itself. */
const best = (run: () => unknown, runs = 4) => Math.min(...Array.from({ length: runs }, () => workOf(run)))

const charactersOf = (text: string) => {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) & 0xffff
  return sum
}

const log = Array.from({ length: 5000 }, (_, i) => `[${i}/5000] Compile Source/Module${i % 60}/File${i}_Thing.cpp took ${i} ms`)
log[2500] = 'C:\\ws\\Game\\Source\\Combat\\Hero.cpp(12): error C2065: undeclared identifier'

it('scores 2,000 changes of 200 files in a moment', () => {
  const candidates: Candidate[] = JSON.parse(
    JSON.stringify(
      Array.from({ length: 2000 }, (_, i) => ({
        id: `c${i}`,
        author: `a${i % 90}`,
        timestamp: '',
        subject: `Rework part ${i} of the game`,
        files: Array.from({ length: 200 }, (_, j) => ({
          path: `Game/Source/Module${(i + j) % 60}/Sub${j % 9}/Some_File${i}_${j}.cpp`,
          action: 'edit',
        })),
      })),
    ),
  )
  candidates[1234]!.files[7]!.path = 'Game/Source/Combat/Hero.cpp'
  expect(attribute(finding, candidates, log).suspects[0]?.change_id).toBe('c1234')
  // About five times as long as merely reading every path, which takes some 25 ms on an idle machine.
  const reading = best(() =>
    candidates.reduce((sum, { files }) => sum + files.reduce((sum, { path }) => sum + charactersOf(path), 0), 0),
  )
  expect(best(() => attribute(finding, candidates, log))).toBeLessThan(20 * reading)
})

it.each(['a_', 'aA', 'A::', 'a.', 'a-', '../', 'Test', '_test', '\\', 'x.y/', '\x1b[', 'C:\\', '//', '((', 'not found '])(
  'survives endless lines of %j',
  (part) => {
    const hostile = Array.from({ length: 200 }, () => part.repeat(5000))
    const change = {
      id: '1',
      author: 'ada',
      timestamp: '',
      subject: part.repeat(2000),
      files: [{ path: part.repeat(2000), action: 'edit' }],
    }
    expect(
      best(() => attribute({ ...finding, evidence: [{ line: 100, text: hostile[99]! }] }, [change], hostile), 2),
    ).toBeLessThan(1000)
  },
)
