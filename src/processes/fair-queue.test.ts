import { beforeEach, expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

/** Each test has its own queue. */
let queue: FairQueue
beforeEach(() => {
  queue = new FairQueue(2)
})

/** Work that ends on command. */
function gate() {
  const began: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    began.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const endOne = async () => {
    ends.shift()!()
    await new Promise(setImmediate)
  }
  return { began, work, endOne }
}

test('two run at a time, and accounts take turns, whoever came first', async () => {
  const { began, work, endOne } = gate()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => queue.enter(name.charCodeAt(0), work(name)))
  expect(began).toEqual(['a1', 'a2'])
  for (let i = 0; i < 7; i++) await endOne()
  await Promise.all(all)
  expect(began).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2'])
})

test('an account with eight waiting is told to slow down, others are accepted until the queue is full', async () => {
  const { work } = gate()
  const hold = (account: number) => void queue.enter(account, work('x')).catch(() => {})
  for (let i = 0; i < 10; i++) hold(1)
  await expect(queue.enter(1, work('x'))).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '10' } })
  for (let account = 2; account < 9; account++) for (let i = 0; i < 8; i++) hold(account)
  await expect(queue.enter(9, work('x'))).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
})

test('work of a client that left is not started, started work continues', async () => {
  const { began, work, endOne } = gate()
  const left = new AbortController()
  const first = queue.enter(1, work('begun'), left.signal)
  const others = [queue.enter(1, work('other')), queue.enter(1, work('waiting'), left.signal), queue.enter(1, work('last'))]
  const dropped = expect(others[1]).rejects.toMatchObject({ status: 499 })
  left.abort()
  await dropped
  for (let i = 0; i < 3; i++) await endOne()
  await Promise.all([first, others[0], others[2]])
  expect(began).toEqual(['begun', 'other', 'last'])
})

test('a stopped queue refuses waiting work and waits for running work', async () => {
  const { work, endOne } = gate()
  const [first, second, third] = ['a', 'b', 'c'].map((name) => queue.enter(1, work(name)))
  const refused = expect(third).rejects.toMatchObject({ status: 503 })
  let stopped = false
  const stopping = queue.stop().then(() => {
    stopped = true
  })
  await refused
  await endOne()
  expect(stopped).toBe(false)
  await endOne()
  await Promise.all([first, second, stopping])
  await expect(queue.enter(2, work('d'))).rejects.toMatchObject({ status: 503 })
})
