import { describe, expect, test } from 'vitest'
import type { Event } from '../../../contract/shapes.ts'
import { byDay, lineWords, merged, messageOf, together } from './feed-events.ts'

const event = (at: string, thing: string, more: Partial<Event> = {}): Event => ({
  event_type: 'build_run.completed',
  project_id: 1,
  project_name: 'Starfall',
  actor: 'system',
  timestamp: at,
  target_ref: thing,
  status: 'ok',
  message: `${thing} passed`,
  url: '/projects/1/builds/1',
  cursor_key: `${at}|build|${thing}`,
  ...more,
})
const refs = (events: Event[]) => events.map(({ target_ref, timestamp }) => `${target_ref} ${timestamp.slice(11, 13)}`)

describe('the lines of the feed', () => {
  const listed = [event('2026-11-10T12:00:00.000Z', 'a'), event('2026-11-10T10:00:00.000Z', 'b')]

  test('show each record once, in its latest state', () => {
    expect(refs(merged([event('2026-11-10T13:00:00.000Z', 'b')], listed, true))).toEqual(['b 13', 'a 12'])
  })

  test('insert late events by their own time', () => {
    expect(refs(merged([event('2026-11-10T11:00:00.000Z', 'c')], listed, false))).toEqual(['a 12', 'c 11', 'b 10'])
  })

  test('leave older events to their page', () => {
    const late = event('2026-11-10T09:00:00.000Z', 'c')
    expect(refs(merged([late], listed, false))).toEqual(['a 12', 'b 10'])
    expect(refs(merged([late], listed, true))).toEqual(['a 12', 'b 10', 'c 09'])
  })

  test('are grouped by day', () => {
    const days = byDay([...listed, event('2026-11-09T10:00:00.000Z', 'c')], new Date('2026-11-10T15:00:00Z'))
    expect(days.map(([name, events]) => [name, events.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
    ])
  })
})

describe('simultaneous events', () => {
  const asked = (asset: string, at: string, more: Partial<Event> = {}) =>
    event(at, asset, { event_type: 'approval.requested', message: `${asset} version 1 waits for approval · art_review`, ...more })
  const at = '2026-11-10T12:00:00.000Z'

  test('are one line, whatever is in between', () => {
    const lines = together([asked('a', at), event(at, 'build'), asked('b', at), asked('c', at)])
    expect(lines.map(lineWords)).toEqual(['3 assets are waiting for approval · art review', 'build passed'])
  })

  test('are not merged across people, projects, decisions or times', () => {
    const others: Partial<Event>[] = [{ actor: 'user:2' }, { project_id: 2 }, { event_type: 'approval.granted' }]
    const lines = together([
      asked('a', at),
      ...others.map((more) => asked('b', at, more)),
      asked('c', '2026-11-10T12:00:01.000Z'),
    ])
    expect(lines).toHaveLength(5)
    expect(lineWords(lines[0]!)).toBe('a version 1 waits for approval · art review')
  })
})

describe('a message', () => {
  const said = (event_type: Event['event_type'], message: string) => messageOf(event('', '', { event_type, message }))

  test('shows causes and stages without underscores, and stores with their official names', () => {
    expect(said('build_run.failed', 'night #4 failed · compile_error · likely CL 12')).toBe(
      'night #4 failed · compile error · likely CL 12',
    )
    expect(said('deployment.created', 'epic_games_store 1.0_rc from main is live')).toBe(
      'Epic Games Store 1.0_rc from main is live',
    )
  })

  test('keeps a number after a name that is written from right to left', () => {
    expect(said('build_run.failed', 'بناء #4 failed')).toBe('بناء \u200e#4 failed')
  })

  test('keeps the underscores of names', () => {
    expect(said('approval.granted', 'T_Moon_D.png version 2 was approved · art_review')).toBe(
      'T_Moon_D.png version 2 was approved · art review',
    )
    expect(said('change.submitted', 'Kim submitted 12: fix max_speed in my_file')).toBe(
      'Kim submitted 12: fix max_speed in my_file',
    )
  })
})
