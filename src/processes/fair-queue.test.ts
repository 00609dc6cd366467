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
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4'])
})

test('an account with eight waiting is told to slow down, others are accepted until the queue is full', async () => {
  const { work } = gate()
  const hold = (account: number) => void queue.enter(account, work('x')).catch(() => {})
  for (let i = 0; i < 10; i++) hold(1)
  await expect(queue.enter(1, work('x'))).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '10' } })
  for (let account = 2; account < 9; account++) for (let i = 0; i < 8; i++) hold(account)
  await expect(queue.enter(9, work('x'))).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
})

test('an account alone has every place, and leaves one to others once they are there', async () => {
  const { began, work, endOne } = gate()
  const first = ['a1', 'a2'].map((name) => queue.enter(1, work(name)))
  expect(began).toEqual(['a1', 'a2'])
  const other = queue.enter(2, work('b1'))
  await endOne()
  await endOne()
  await Promise.all(first)
  const later = ['a3', 'a4', 'a5'].map((name) => queue.enter(1, work(name)))
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3'])
  // Its work may take minutes: the place of b1 stays free for others.
  await endOne()
  await other
  expect(began).toEqual(['a1', 'a2', 'b1', 'a3'])
  const third = queue.enter(3, work('c1'))
  expect(began.at(-1)).toBe('c1')
  for (let i = 0; i < 4; i++) await endOne()
  await Promise.all([...later, third])
  expect(began.slice(-2)).toEqual(['a4', 'a5'])
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
