import { describe, expect, it } from 'vitest'
import { normalise } from './normalise.ts'
import { segment } from './segment.ts'

const failingOf = (...lines: string[]) => {
  const { failing } = segment(normalise(lines.join('\n')))
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

  it('is unknown where nothing tells', () => {
    expect(failingOf('boom', 'bang')).toBeNull()
  })

  it('is known by the command the service reports when its beginning is lost', () => {
    const { failing } = segment(normalise('boom\nThe command "make check" exited with 2.'))
    expect(failing!.reported).toBe('make check')
  })
})
