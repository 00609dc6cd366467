import { describe, expect, test } from 'vitest'
import { stepsOf } from './steps.ts'

type Given = Parameters<typeof stepsOf>[0]
const at = (minute: number) => `2026-11-19T10:${String(minute).padStart(2, '0')}:00.000Z`
const deployment = (given: Partial<Given>): Given => ({
  status: 'pending',
  store: 'ps5',
  created_at: at(0),
  submitted_at: null,
  deployed_at: null,
  live_at: null,
  reached: [],
  ...given,
})
const words = (given: Partial<Given>) =>
  stepsOf(deployment(given)).map(({ status, at }) => (at ? `${status} ${Number(at.slice(14, 16))}` : status))

describe('the steps of a deployment', () => {
  test('are in the order in which they were reached', () => {
    expect(
      words({ status: 'in_review', deployed_at: at(5), submitted_at: at(20), reached: [{ status: 'in_review', at: at(30) }] }),
    ).toEqual(['pending 0', 'uploading 5', 'submitted 20', 'in_review 30', 'approved', 'live'])
  })

  test('have those that the history knows, and end with a rejection and its time', () => {
    const reached = (['in_review', 'rejected'] as const).map((status, n) => ({ status, at: at(30 + n) }))
    expect(words({ status: 'rejected', submitted_at: at(20), reached })).toEqual([
      'pending 0',
      'submitted 20',
      'in_review 30',
      'rejected 31',
    ])
  })

  test('begin again after a rejection, with the newest time of each', () => {
    const reached = [
      { status: 'rejected' as const, at: at(31) },
      { status: 'submitted' as const, at: at(40) },
    ]
    expect(words({ status: 'submitted', submitted_at: at(20), reached })).toEqual([
      'pending 0',
      'rejected 31',
      'submitted 40',
      'uploading',
      'in_review',
      'approved',
      'live',
    ])
  })

  test('begin with pending, also if the store knew it before', () => {
    expect(words({ status: 'live', store: 'steam', live_at: '2026-11-19T09:50:00.000Z', deployed_at: at(1) })).toEqual([
      'pending 0',
      'live 50',
    ])
  })
})
