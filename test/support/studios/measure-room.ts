import { afterAll, beforeAll, beforeEach } from 'vitest'
import { sql } from '../../../src/db/database.ts'
import { resetClock } from '../clock.ts'
import { openStudio, type Studio } from '../studio.ts'
import { workOff } from '../work-off.ts'
import { visitor, workshop } from './workshop.ts'

export const MAIN = '//game/main'
const ANY = { job: '', branch: '', platform: '', max_value: null, max_growth: null, store: '', track: '' }

/** A studio whose CI reports passed builds with measures, each of the next changelist; every test has a job of its own. */
export function openMeasureRoom() {
  let studio: Studio
  const room = { job: '', number: 0 }
  beforeAll(async () => {
    studio = await openStudio({
      ...workshop,
      integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
      changes: Array.from({ length: 60 }, (_, at) => ({
        key: `c${at}`,
        project: 'star',
        identifier: String(100 + at),
        source_type: 'Changelist',
        branches: [MAIN],
        author: at % 2 ? 'artist@example.com' : 'lead@example.com',
      })),
    })
  })
  afterAll(() => studio.close())
  beforeEach(async () => {
    Object.assign(room, { job: `Package ${crypto.randomUUID()}`, number: 0 })
    await resetClock(studio.db)
    for (const table of [sql`measure_alerts`, sql`deployments`, sql`build_runs`])
      await studio.db.execute(sql`delete from ${table}`)
  })
  const { id, inside } = visitor(() => studio)

  /** Reports a passed build of the next changelist, or a given one, and judges it as the worker does. */
  async function build(
    value: number | null,
    { changelist = 101 + room.number, unit = 'bytes', more = {} }: { changelist?: number; unit?: string; more?: object } = {},
  ) {
    room.number++
    const { json } = await studio.ask(`/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`, {
      method: 'POST',
      body: {
        ...{ job_name: room.job, build_number: String(room.number), branch: MAIN, changelist: String(changelist) },
        ...{ platform: 'Win64', status: 'SUCCESS' },
        ...(value !== null && { measures: [{ name: 'package', value, unit }] }),
        ...more,
      },
    })
    await workOff(studio, 'read_log')
    await workOff(studio, 'judge_measures')
    return String(json.records[0].id)
  }
  return {
    studio: () => studio,
    room,
    id,
    inside,
    build,
    async builds(...values: (number | null)[]) {
      const ids: string[] = []
      for (const value of values) ids.push(await build(value))
      return ids
    },
    budgets: (...list: object[]) =>
      inside('/measures/budgets', {
        method: 'PUT',
        body: { budgets: list.map((one) => ({ ...ANY, measure: 'package', ...one })) },
      }),
    alerts: async () => (await inside('/measures/budgets')).json.alerts,
  }
}
