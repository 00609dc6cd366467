import { describe, expect, it } from 'vitest'
import { normalize } from './normalize.ts'
import { segment } from './segment.ts'

const failingOf = (...lines: string[]) => {
  const { failing } = segment(normalize(lines.join('\n')))
  return failing && [failing.start + 1, failing.end + 1]
}

describe('the failing step', () => {
  it('is the Travis command that exited with something else than 0', () => {
    expect(
      failingOf(
        '$ npm ci',
        'ok',
        'The command "npm ci" exited with 0.',
        '$ npm test',
        'boom',
        'The command "npm test" exited with 1.',
      ),
    ).toEqual([4, 6])
  })

  it('is the GitHub step that completed with an exit code', () => {
    expect(failingOf('##[group]Run make', '##[endgroup]', 'boom', '##[error]Process completed with exit code 2.')).toEqual([1, 4])
  })

  it('is the npm script that was running', () => {
    expect(
      failingOf(
        '$ npm test',
        '> game@1.0.0 lint /ws',
        'fine',
        '> game@1.0.0 unit /ws',
        'boom',
        'The command "npm test" exited with 1.',
      ),
    ).toEqual([4, 6])
  })

  it('is unknown without a marker', () => {
    expect(failingOf('boom', 'bang')).toBeNull()
  })

  it('is identified by the reported command if its beginning is lost', () => {
    const { failing } = segment(normalize('boom\nThe command "make check" exited with 2.'))
    expect(failing!.reported).toBe('make check')
  })
})

describe('several steps', () => {
  it('the first failed one is the failing one', () => {
    expect(failingOf('$ a', 'The command "a" exited with 1.', '$ b', 'boom', 'The command "b" exited with 2.')).toEqual([1, 2])
  })

  it('a step that another interrupts has an unknown result', () => {
    const { sections } = segment(normalize('$ a\nx\n$ b\ny\nThe command "b" exited with 0.'))
    expect(sections.map(({ ended }) => ended)).toEqual(['unknown', 'passed'])
  })
})

describe('success', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`)
  const succeededAt = (...all: string[]) => segment(normalize(all.join('\n'))).succeededAt

  it('counts only near the end of the log', () => {
    expect(succeededAt(...lines(10), 'BUILD SUCCESSFUL in 3s', ...lines(140))).toBe(10)
    expect(succeededAt('BUILD SUCCESSFUL in 3s', ...lines(160))).toBeNull()
  })

  it('does not count if a step failed', () => {
    expect(succeededAt('$ a', 'The command "a" exited with 1.', 'BUILD SUCCESSFUL in 3s')).toBeNull()
  })
})
