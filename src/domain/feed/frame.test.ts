import { describe, expect, test } from 'vitest'
import { N, openNewsroom } from '../../../test/support/studios/newsroom.ts'

const { id, ask } = openNewsroom()

test('a plan below Team gets two fields that say so', async () => {
  const { status, json } = await ask(`account_id=${id('accounts', 'small')}`)
  expect(status).toBe(403)
  expect(json).toEqual({ error: expect.stringContaining('account_id'), upgrade_url: 'https://gold.example/settings/billing' })
  expect((await ask('', 'lee')).status).toBe(403)
})

describe('the rollup', () => {
  test('is only on the first unfiltered page', async () => {
    const { json } = await ask('limit=5&days_back=30')
    expect(json.rollup).toEqual({
      changes_24h: expect.any(Number),
      builds_passed_24h: expect.any(Number),
      builds_failed_24h: expect.any(Number),
      open_tasks: N,
      total_projects: 2,
      active_projects: 1,
    })
    const star = id('projects', 'star')
    for (const query of [
      `cursor=${json.pagination.next_cursor}`,
      `since=2026-01-01T00:00:00Z`,
      'event_type=task.*',
      'event_types=task.*',
      `project_id=${star}`,
    ])
      expect((await ask(query)).json).toHaveProperty('rollup', null)
  })
})
