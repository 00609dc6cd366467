import { expect, test } from 'vitest'
import { AGAINST, shownSuspects } from './shown-suspects.ts'

const candidate = (change_id: number, score: number, ...reasons: string[]) => ({ change_id, score, reasons })
const shown = (...candidates: ReturnType<typeof candidate>[]) => shownSuspects(candidates).map(({ change_id }) => change_id)

test('changes with evidence are suspects, also if none leads', () => {
  expect(shown(candidate(1, 0.6, 'changes a.c'), candidate(2, 0.6, 'changes b.c'))).toEqual([1, 2])
})

test('a change that is only from the same time is no suspect', () => {
  expect(shown(candidate(1, 0.6, 'changes a.c'), candidate(2, 0))).toEqual([1])
  expect(shown(candidate(1, 0), candidate(2, 0))).toEqual([])
})

test('a shared word is no evidence beside other changes, and enough for the only one', () => {
  const word = candidate(1, 0.16, 'mentions “oxygen” as the error does')
  expect(shown(word, candidate(2, 0.1))).toEqual([])
  expect(shown(word)).toEqual([1])
})

test.each(Object.values(AGAINST))('a change that %s is no suspect', (reason) => {
  expect(shown(candidate(1, 0.9, reason))).toEqual([])
})
