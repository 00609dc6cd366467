import { expect, test } from 'vitest'
import { apart, backslashed, inCode, oneLine, truncate, ZERO_WIDTH } from './text.ts'

const asIs = (character: string) => character

test('a text becomes one line without control, bidirectional and invisible characters', () => {
  expect(oneLine('a\r\n\tb\u2028c\u0007d')).toBe('a b c d')
  expect(oneLine('\u202egnirts\u202c \u2066x\u2069\u200b\ufeff')).toBe('gnirts x')
  expect(oneLine(' \u0000 \u200b ')).toBe('')
  expect(oneLine('\ud83d!')).toBe('\ufffd!')
  expect(oneLine('👩‍🚀')).toBe('👩‍🚀')
})

test('a text that is too long is cut between code points with an ellipsis', () => {
  expect(truncate('abcdef', 6, asIs)).toBe('abcdef')
  expect(truncate('abcdefg', 6, asIs)).toBe('abcde…')
  expect(truncate('😀😀😀', 6, asIs)).toBe('😀😀😀')
  expect(truncate('😀😀😀😀', 6, asIs)).toBe('😀😀…')
  expect(truncate('😀😀😀', 5, asIs)).toBe('😀😀…')
})

test('an escape is never split, and counts with its full length', () => {
  const entities = (character: string) => (character === '&' ? '&amp;' : character)
  expect(truncate('&&&', 15, entities)).toBe('&amp;&amp;&amp;')
  expect(truncate('&&&', 14, entities)).toBe('&amp;&amp;…')
  expect(truncate('&&&', 10, entities)).toBe('&amp;…')
})

test('a text cannot start a list, a quote or a heading', () => {
  for (const text of ['> x', '>x', '# x', '- x', '-# x', '---']) expect(truncate(text, 100, asIs, true)).toBe(`\\${text}`)
  expect(truncate('1. x', 100, asIs, true)).toBe('1\\. x')
  expect(truncate('12) x', 100, asIs, true)).toBe('12\\) x')
  expect(truncate('* x', 100, backslashed('*'), true)).toBe('\\* x')
  for (const text of ['-Wall', '1.2.3', '#41', 'a - b']) expect(truncate(text, 100, asIs, true)).toBe(text)
  expect(truncate('# x', 100, asIs)).toBe('# x')
})

test('underscores inside of words stay, other marks are escaped', () => {
  expect(truncate('my_level_01 _x_ *y*', 100, backslashed('\\_*'))).toBe('my_level_01 \\_x\\_ \\*y\\*')
  expect(truncate('a\\*b', 100, backslashed('\\*'))).toBe('a\\\\\\*b')
})

test('only text that would mention somebody or end the code is broken up: everything else can be copied and searched', () => {
  expect(truncate('a `b` ```', 100, inCode)).toBe(`a \`b\` \`${ZERO_WIDTH}\`${ZERO_WIDTH}\``)
  expect(truncate('@here', 100, apart(/@\w/y, inCode))).toBe(`@${ZERO_WIDTH}here`)
  expect(truncate('<!here> TArray<int> a @ b', 100, apart(/@\w|<!/y))).toBe(`<${ZERO_WIDTH}!here> TArray<int> a @ b`)
})
