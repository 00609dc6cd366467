import { describe, expect, test } from 'vitest'
import { exceedsJsonComplexity } from './json-complexity.ts'

const heavy = (text: string) => exceedsJsonComplexity(Buffer.from(text))
const many = (part: string) => part.repeat(10_001)

describe('a body is light', () => {
  test('when it is one long text, whatever it contains', () => {
    expect(heavy(JSON.stringify({ log: many('[{,:}]\n"quoted", \\ and & 100%') }))).toBe(false)
  })

  test('when short texts contain escaped quotes', () => {
    expect(heavy(`{"log":"\\"${',x'.repeat(20)}"${',"k":"\\"[[[,,,"'.repeat(2_000)}}`)).toBe(false)
  })

  test('when it is a task with the maximum metadata', () => {
    const metadata = { numbers: Array(8000).fill(1) }
    expect(heavy(JSON.stringify({ task: { title: 'x', labels: ['a', 'b'], metadata } }))).toBe(false)
  })

  test('when lists follow each other instead of nesting', () => {
    expect(heavy(`[${'[],'.repeat(1000)}0]`)).toBe(false)
  })
})

describe('a body is heavy', () => {
  test.each([
    ['keys', `{${many('"k":1,')}}`],
    ['items', `[${many('1,')}1]`],
    ['empty objects', `[${many('{}')}]`],
    ['lines', many('{}\n')],
    ['empty lines', many('\n')],
    ['fields of a form', many('a=1&')],
    ['encoded values of a form', `payload=${many('%7B%7D')}`],
  ])('when it contains too many %s', (_, body) => expect(heavy(body)).toBe(true))

  test('when values follow a long text, whatever it contains', () => {
    const text = JSON.stringify('a line of a log, "quoted", with a \\ and more than is walked byte by byte \\" \\\\'.repeat(50))
    expect(heavy(`[${text},${many('1,')}1]`)).toBe(true)
    expect(heavy(`[${text},${'1,'.repeat(100)}1]`)).toBe(false)
    expect(heavy(`${text.slice(0, -1)}\n${many('{}\n')}`)).toBe(true)
  })

  test('when values follow a long text that ends in backslashes', () => {
    const words = 'no quotes in a text that is longer than what is walked byte by byte, '.repeat(3)
    expect(heavy(`["${words}\\\\",${many('1,')}1]`)).toBe(true)
    expect(heavy(`["${words}\\",${many('1,')}1]`)).toBe(false)
  })

  test('when it is nested too deep, closed or not', () => {
    expect(heavy('['.repeat(101))).toBe(true)
    expect(heavy(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)).toBe(true)
    expect(heavy(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`)).toBe(false)
  })
})
