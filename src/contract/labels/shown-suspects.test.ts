import { expect, test } from 'vitest'
import type { SuspectReason } from '../sets.ts'
import { AGAINST, shownSuspects } from './shown-suspects.ts'

const candidate = (change_id: number, score: number, ...reason_codes: SuspectReason[]) => ({ change_id, score, reason_codes })
const shown = (...candidates: ReturnType<typeof candidate>[]) => shownSuspects(candidates).map(({ change_id }) => change_id)

test('changes with evidence are suspects, also if none leads', () => {
  expect(shown(candidate(1, 0.6, 'file_named'), candidate(2, 0.6, 'file_named'))).toEqual([1, 2])
})

test('a change that is only from the same time is no suspect', () => {
  expect(shown(candidate(1, 0.6, 'file_named'), candidate(2, 0))).toEqual([1])
  expect(shown(candidate(1, 0), candidate(2, 0))).toEqual([])
})

test('a shared word is no evidence beside other changes, and enough for the only one', () => {
  const word = candidate(1, 0.16, 'words_shared')
  expect(shown(word, candidate(2, 0.1))).toEqual([])
  expect(shown(word)).toEqual([1])
})

test.each(AGAINST)('a change with %s as its first reason is no suspect', (reason) => {
  expect(shown(candidate(1, 0.9, reason))).toEqual([])
})
