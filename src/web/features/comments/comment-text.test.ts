import { expect, test } from 'vitest'
import { withMention, withNames } from './comment-text.ts'

test('a mention is shown with the name of the person', () => {
  expect(withNames('<@7>, see <@12> and <@x>', (id) => (id === 7 ? 'Kim' : 'Lou'))).toBe('@Kim, see @Lou and <@x>')
})

test('a mention is added after a blank', () => {
  expect(withMention('', '7')).toBe('<@7> ')
  expect(withMention('Ask', '7')).toBe('Ask <@7> ')
  expect(withMention('Ask ', '7')).toBe('Ask <@7> ')
})
