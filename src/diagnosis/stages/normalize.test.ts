import { describe, expect, it } from 'vitest'
import { normalize } from './normalize.ts'

const textOf = (raw: string) => normalize(raw).text

describe('normalizing', () => {
  it('removes colors and window titles', () => {
    expect(textOf('\x1b[31merror:\x1b[0m \x1b]0;build\x07boom\x1b[K')).toEqual(['error: boom'])
  })

  it('resolves carriage returns as a terminal would', () => {
    expect(textOf('10 %\r55 %\r100 %\r')).toEqual(['100 %'])
  })

  it('keeps one entry for every line that was sent', () => {
    expect(textOf('a\r\n\r\nb\n')).toEqual(['a', '', 'b', ''])
  })

  it.each([
    ['GitHub time stamps', '2024-05-01T10:00:00.1234567Z boom'],
    ['Jenkins time stamps', '[10:00:00] boom'],
    ['Unreal frames', '[2024.05.01-10.00.00:123][ 42]boom'],
    ['the packaging helper', 'UATHelper: Packaging (Windows): boom'],
    ['the packaging helper in other languages', 'UATHelper: 正在打包 (Windows): boom'],
    ['MSBuild nodes', '12>boom'],
    ['Ant', '     [exec] boom'],
    ['BuildKit', '#72 170.9 boom'],
    ['a stack of carriers', '2024-05-01T10:00:00.0Z [2024.05.01-10.00.00:123][ 42]UATHelper: Packaging (Windows): boom'],
  ])('peels off %s', (_, line) => {
    expect(textOf(line)).toEqual(['boom'])
  })

  it('records that the build service marked a line as an error', () => {
    const log = normalize('2024-05-01T10:00:00.0Z ##[error]boom\nfine')
    expect(log.text).toEqual(['boom', 'fine'])
    expect(log.marked).toEqual([true, false])
  })

  it('reads UTF-16 that was decoded byte by byte', () => {
    expect(textOf([...'LogCook: Error: no map'].join('\0'))).toEqual(['LogCook: Error: no map'])
    expect(textOf([...'LogCook: Error: no map'].join(' '))).toEqual(['LogCook: Error: no map'])
  })

  it('recognizes a log that has lost its beginning', () => {
    expect(normalize('x'.repeat(256_000)).truncated).toBe(true)
    expect(normalize('x'.repeat(1000)).truncated).toBe(false)
  })

  it('shows patterns only the beginning of an endless line', () => {
    expect(textOf('y'.repeat(90_000))[0]!.length).toBeLessThanOrEqual(2000)
  })
})
