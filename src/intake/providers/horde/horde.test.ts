import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import { recorded } from '../../../../test/support/studios/provider-room.ts'
import type { BuildFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { horde } from './index.ts'
import { failedLog, named } from './job.ts'
import { streamsIn } from './streams.ts'

const JOB = recorded('horde', 'job__failed').body as Record<string, unknown>

const read = (body: unknown, config: Record<string, unknown> = {}) =>
  horde.read(deliveryTo('horde', body, { config })) as BuildFact[]
const job = (more: object, config = {}) => read({ ...JOB, ...more }, config)[0]

const step = (nodeIdx: number, outcome: string, more: object = {}) => ({
  id: `s${nodeIdx}`,
  nodeIdx,
  state: 'Completed',
  outcome,
  logId: `log${nodeIdx}`,
  ...more,
})
const batch = (...steps: object[]) => ({ groupIdx: 0, agentId: 'WIN-01', steps })
const QUIET = { labels: [], defaultLabel: null }

test('a job is a build of its template at its changelist', () => {
  expect(job({}, { server: 'https://horde.example/', horde_streams: 'game-main=//Game/Main' })).toMatchObject({
    build: { external_id: 'horde:64f0c0d1e5a7b3c2d1e0f9a8', job: 'incremental-build', number: '64f0c0d1e5a7b3c2d1e0f9a8' },
    status: 'failed',
    changelist: '12345',
    branch: '//Game/Main',
    url: 'https://horde.example/job/64f0c0d1e5a7b3c2d1e0f9a8',
    agent: 'WIN-01',
  })
})

test("Horde's id of a stream is not a branch", () => {
  expect(job({})?.branch).toBeUndefined()
  expect(job({}, { horde_streams: 'game-main' })?.branch).toBeUndefined()
})

test('a job with a shelf is a preflight of it', () => {
  expect(job({ preflightChange: 812 })).toMatchObject({ build_kind: 'preflight', shelf: '812', changelist: '12345' })
  expect(job({ preflightChange: 0 })).not.toHaveProperty('build_kind')
})

describe('the status of a job', () => {
  test.each([
    ['Waiting', {}, 'queued'],
    ['Running', {}, 'building'],
    ['Odd', {}, undefined],
    ['Complete', { batches: [batch(step(1, 'Success'), step(2, 'Warnings'))], ...QUIET }, 'completed'],
    ['Complete', { batches: [batch(step(1, 'Success'), step(2, 'Failure'))], ...QUIET }, 'failed'],
    ['Complete', { batches: [batch(step(1, 'Failure')), batch(step(1, 'Success'))], ...QUIET }, 'completed'],
    ['Complete', { batches: [batch(step(1, 'Unspecified', { state: 'Skipped' }))], ...QUIET }, 'cancelled'],
    ['Complete', { batches: [], labels: [{ outcome: 'Failure' }] }, 'failed'],
    ['Complete', { abortedByUserInfo: { name: 'anna' } }, 'cancelled'],
  ])('that is %s %j is %s', (state, more, status) => expect(job({ state, ...more })?.status).toBe(status))
})

test('a step has its last attempt, its agent and its error', () => {
  const batches = [
    batch(step(1, 'Failure', { error: 'TimedOut' }), step(2, 'Warnings')),
    { ...batch(step(1, 'Failure', { error: 'None' })), agentId: 'WIN-02' },
  ]
  const fact = job({ batches, ...QUIET })
  expect(fact?.steps).toMatchObject([
    { name: 'Step 0.1', status: 'failed', detail: 'on WIN-02' },
    { name: 'Step 0.2', status: 'completed', detail: 'warnings, on WIN-01' },
  ])
  expect(fact?.agent).toBeUndefined()
})

test('labels are steps too', () => {
  expect(job({ batches: [] })?.steps).toEqual([{ name: 'Label: Editors', status: 'failed' }])
})

test('steps have the names of the graph, or their own', () => {
  const graph = { groups: [{ nodes: [{ name: 'Sync' }, { name: 'Compile Editor' }] }] }
  const batches = [batch(step(1, 'Success'), step(2, 'Success', { name: 'Cook' }), step(3, 'Success'))]
  const fact = read(named({ ...JOB, batches, ...QUIET }, graph))[0]
  expect(fact?.steps?.map(({ name }) => name)).toEqual(['Compile Editor', 'Cook', 'Step 0.3'])
})

test('the log is that of the first step that failed', () => {
  const at = (time: string) => ({ finishTime: `2026-10-01T10:${time}:00Z` })
  const batches = [batch(step(1, 'Failure', at('40')), step(2, 'Failure', at('20')), step(3, 'Success', at('10')))]
  expect(failedLog({ ...JOB, batches })).toBe('log2')
  expect(failedLog({ ...JOB, batches: [] })).toBeUndefined()
})

test('a list of jobs is read, and anything else is unreadable', () => {
  expect(read([JOB, { ...JOB, id: 'b2' }])).toHaveLength(2)
  for (const body of [undefined, null, [], 'x', {}, { id: 1 }]) expect(() => read(body)).toThrow(Unreadable)
})

test('streams are ids with paths, separated by commas or blanks', () => {
  expect(streamsIn({ horde_streams: ' game-main=//Game/Main,game-rel other=Main' })).toEqual([
    { id: 'game-main', path: '//Game/Main' },
    { id: 'game-rel' },
    { id: 'other' },
  ])
  expect(streamsIn({})).toEqual([])
})
