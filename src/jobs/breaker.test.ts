import { expect, test } from 'vitest'
import { openBreaker } from './breaker.ts'

function setUp() {
  let time = 1_000
  const breaker = openBreaker(
    () => time,
    () => 0.5,
  )
  const pass = (ms: number) => {
    time += ms
  }
  const fail = (times: number) => Array.from({ length: times }, () => breaker.failed('a')).at(-1)
  return { breaker, pass, fail }
}

test('the breaker opens after three failures in a row, for one server only', () => {
  const { breaker, fail } = setUp()
  expect(fail(2)).toBeUndefined()
  expect(breaker.open()).toEqual([])
  breaker.answered('a')
  expect(fail(2)).toBeUndefined()
  expect(fail(1)).toBe(5_000)
  expect(breaker.open()).toEqual(['a'])
  expect(breaker.isOpen('b')).toBe(false)
})

test('the breaker lets one call check whether the server is back, and closes when it responds', () => {
  const { breaker, pass, fail } = setUp()
  fail(3)
  expect(breaker.isHalfOpen('a')).toBe(false)
  pass(5_000)
  expect([breaker.isOpen('a'), breaker.isHalfOpen('a')]).toEqual([false, true])
  breaker.answered('a')
  expect([breaker.isOpen('a'), breaker.isHalfOpen('a')]).toEqual([false, false])
  expect(fail(2)).toBeUndefined()
})

test('the breaker doubles the pause after each failed call, up to five minutes, and never gives up', () => {
  const { breaker, pass, fail } = setUp()
  fail(2)
  const pauses = Array.from({ length: 9 }, () => {
    const pause = fail(1)!
    // Calls that were running when it opened do not count.
    expect(fail(2)).toBeUndefined()
    pass(pause)
    expect(breaker.isHalfOpen('a')).toBe(true)
    return pause / 1_000
  })
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})
