import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { runInvestigation } from '../../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'

const GRUMBLE = 'tools/bake.c:7:1: error: no display, lighting is skipped'
const CAUSE = 'src/combat.c:54:3: error: expected expression'
const PASSES = 7

let studio: Studio
beforeAll(async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
  const build = (key: string, minute: number, status: string, output_log: string | null, ci_job_name = 'night') => ({
    key,
    project: 'star',
    status,
    ci_job_name,
    branch: 'main',
    build_number: key,
    created_at: at(minute),
    started_at: at(minute),
    finished_at: at(minute),
    output_log,
  })
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', credits: 50, daily_limit: 40 }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds', 'read:builds'] }],
    build_runs: [
      ...Array.from({ length: PASSES }, (_, i) => build(`green${i}`, i, 'completed', `pass ${i}\n${GRUMBLE}\n`)),
      build('silent', 8, 'completed', null),
      build('red', 10, 'failed', `${GRUMBLE}\nworking\n${CAUSE}\n`),
      build('again', 12, 'failed', `${GRUMBLE}\nworking\n${CAUSE}\n`),
      build('other-job', 14, 'failed', `${GRUMBLE}\nworking\n${CAUSE}\n`, 'day'),
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'users']![key]!.id as number

/** The number of the line that is shown as the cause. */
async function investigated(build: string): Promise<number> {
  const path = `/api/v1/projects/${id('projects', 'star')}/build_runs/${id('build_runs', build)}`
  const token = studio.world.tokens!.kim!.token as string
  const { json } = await studio.ask(`${path}/investigate`, { method: 'POST', token })
  await runInvestigation(studio.db, json.investigation_id)
  return (await studio.ask(path, { token })).json.investigation.evidence[0].line
}

const remembered = async () =>
  (await studio.db.rows<{ id: number }>(sql`select build_run_id as id from passed_lines order by build_run_id`)).map(({ id }) =>
    Number(id),
  )
const greens = (...numbers: number[]) => numbers.map((n) => id('build_runs', `green${n}`))

test('a line that the job also printed when it passed is not the cause', async () => {
  expect(await investigated('red')).toBe(3)
})

test("lines of another job's passes do not count", async () => {
  expect(await investigated('other-job')).toBe(1)
})

test('the lines of the last five passes with a log are stored, and only those', async () => {
  expect(await remembered()).toEqual(greens(2, 3, 4, 5, 6))
  await moveTimes(studio.db, 'build_runs', ['created_at'], sql`interval '9 minutes'`, sql`t.id = any (${greens(0)})`)
  await investigated('again')
  expect(await remembered()).toEqual(greens(0, 3, 4, 5, 6))
})

test('they outlive their logs and are deleted with their builds', async () => {
  await studio.db.execute(sql`update build_runs set output_log = null where status = 'completed'`)
  await studio.db.execute(sql`delete from investigations where build_run_id = ${id('build_runs', 'red')}`)
  expect(await investigated('red')).toBe(3)
  await studio.db.execute(sql`delete from build_runs where id = any (${greens(3)})`)
  expect(await remembered()).not.toContain(greens(3)[0])
})
