import { expect, test } from 'vitest'
import { showProgress } from './progress.ts'

function screen(isTTY: boolean) {
  let [written, clock] = ['', 0]
  const progress = showProgress({ isTTY, columns: 40, write: (text) => (written += text) }, () => clock)
  return {
    progress,
    wait: (ms: number) => {
      clock += ms
    },
    written: () => written,
  }
}

test('a terminal has one updating line, cut to its width', () => {
  const { progress, wait, written } = screen(true)
  progress.update({ tasks: 2000 })
  expect(written()).toBe('')
  wait(100)
  progress.update({ accounts: 1, users: 10, projects: 100, tasks: 4000 })
  expect(written()).toBe('\r\u001b[K1 accounts, 10 users, 100 projects, 4,0')
  progress.end()
  expect(written()).toMatch(/\r\u001b\[K1 accounts, 10 users, 100 projects, 4,000 tasks \(0 s\)\n$/)
})

test('a file gets a line every few seconds', () => {
  const { progress, wait, written } = screen(false)
  for (let second = 1; second <= 12; second++) {
    wait(1000)
    progress.update({ tasks: second * 1000 })
  }
  progress.end()
  expect(written()).toBe('5,000 tasks (5 s)\n10,000 tasks (10 s)\n12,000 tasks (12 s)\n')
})

test('a failed load reports no success', () => {
  const { progress, written } = screen(false)
  progress.update({ tasks: 2000 })
  progress.clear()
  expect(written()).toBe('')
})
