import { describe, expect, test } from 'vitest'
import { hour, keys, now, openNewsroom } from '../../../test/support/studios/newsroom.ts'
import { FEED_EVENT_TYPES } from '../../contract/events.ts'
import { sql } from '../../db/database.ts'

const { studio, id, ask, walk } = openNewsroom()

describe('parameters', () => {
  const refused = async (query: string) => {
    const { status, json } = await ask(query)
    return [status, json.error]
  }

  test('days_back is clamped at both ends, since only at the far one', async () => {
    await studio().db.execute(sql`update deployments set created_at = now() - interval '80 days' where version = '1.23'`)
    const old = async (query: string) =>
      (await walk(`limit=50&event_type=deployment.created&${query}`)).some((event) => event.target_ref === 'steam 1.23')
    expect(await old('days_back=7')).toBe(false)
    expect(await old('days_back=90')).toBe(true)
    expect(await old('days_back=9999')).toBe(true)
    expect(await old('days_back=-4')).toBe(false)
    expect(await old('since=1999-01-01T00:00:00Z')).toBe(true)
    expect(await old('since=1999-01-01T00:00:00Z&days_back=1')).toBe(true)
    // Older than either limit.
    await studio().db.execute(sql`update deployments set created_at = now() - interval '91 days' where version = '1.23'`)
    for (const query of ['days_back=9999', 'since=1999-01-01T00:00:00Z', 'since=1999-01-01T00:00:00'])
      expect(await old(query)).toBe(false)
    for (const bad of ['', 'x', '1.5', '1e2']) expect(await refused(`days_back=${bad}`)).toEqual([422, 'invalid_parameter'])
  })

  test("since without an offset is read in the account's time zone, daylight saving time included", async () => {
    const wallClock = (at: Date) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'medium' })
        .format(at)
        .replace(' ', 'T')
    const seen = async (since: string) =>
      (await walk(`limit=50&event_type=deployment.created&since=${encodeURIComponent(since)}`)).map((event) => event.target_ref)
    // Every eleventh day back: if this runs within seven weeks of a clock change, both sides of it are tested. At noon in London: an hour
    // that happens twice on that day would be ambiguous.
    for (let days = 3; days < 88; days += 11) {
      const at = new Date(Math.floor(now / (24 * hour)) * 24 * hour + 12 * hour - days * 24 * hour)
      await studio().db.execute(sql`insert into deployments (account_id, project_id, platform, version, created_at)
        values (${id('accounts', 'owl')}, ${id('projects', 'star')}, 'custom', ${`day ${days}`}, ${at.toISOString()})`)
      expect(await seen(wallClock(at))).toContain(`custom day ${days}`)
      expect(await seen(wallClock(new Date(at.getTime() + 1000)))).not.toContain(`custom day ${days}`)
      expect(await seen(at.toISOString().replace('.000Z', '+00:00'))).toContain(`custom day ${days}`)
    }
    await studio().db.execute(sql`delete from deployments where platform = 'custom'`)
  })

  test('since needs a time, and a plus sign must be escaped', async () => {
    for (const bad of ['2026-11-01', '', 'yesterday', '2026-11-01T12:00:00+02:00', '2026-11-01T25:00'])
      expect(await refused(`since=${bad}`), bad).toEqual([422, 'invalid_parameter'])
    expect((await ask('since=2026-11-01T12:00:00%2B02:00')).status).toBe(200)
  })

  test('an unknown event type returns the known ones', async () => {
    for (const bad of [
      '',
      'build',
      'build.*',
      '*',
      '.*',
      'build_run.',
      'BUILD_RUN.FAILED',
      'build_run.failed,',
      'build_run.*,x',
    ]) {
      const { status, json } = await ask(`event_type=${bad}`)
      expect({ status, ...json }, bad).toMatchObject({
        status: 422,
        error: 'invalid_event_type',
        valid_event_types: FEED_EVENT_TYPES,
      })
    }
  })

  test('lists and objects are rejected everywhere but in event types', async () => {
    for (const query of ['limit[]=1', 'since[x]=1', 'project_id=1&project_id=2', 'account_id[]=1', 'event_type[x]=task.*'])
      expect(await refused(query), query).toEqual([422, 'invalid_parameter_type'])
  })

  test('an account is given by number or prefix, and another account is not found', async () => {
    const owl = id('accounts', 'owl')
    const own = keys((await ask()).json.events)
    for (const name of [owl, `acct_${owl}`]) expect(keys((await ask(`account_id=${name}`)).json.events)).toEqual(own)
    expect(keys((await ask(`account_id=${id('accounts', 'fox')}`)).json.events)).not.toEqual(own)
    for (const name of ['999999', 'acct_', `account_${owl}`, 'owl', '', '0'])
      expect(await refused(`account_id=${name}`), name).toEqual([404, 'not_found'])
    expect((await ask(`account_id=${owl}`, 'lee')).status).toBe(404)
  })

  test('a project must belong to the account', async () => {
    for (const project of [id('projects', 'fox'), 999999, 'x', `proj_${id('projects', 'star')}`, ''])
      expect(await refused(`project_id=${project}`), String(project)).toEqual([404, 'not_found'])
  })

  test('errors have an order: parameter names, account, plan, values, project, cursor', async () => {
    const small = id('accounts', 'small')
    expect(await refused('account_id=999999&surprise=1')).toEqual([422, 'unknown_parameter'])
    expect(await refused('account_id=999999&limit=x')).toEqual([404, 'not_found'])
    expect((await ask(`account_id=${small}&limit=x`)).status).toBe(403)
    expect(await refused('limit=x&project_id=999999')).toEqual([422, 'invalid_parameter'])
    expect(await refused('project_id=999999&cursor=x')).toEqual([404, 'not_found'])
    expect(await refused('cursor=x')).toEqual([400, 'invalid_cursor'])
  })
})
