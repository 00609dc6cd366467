import { createHash } from 'node:crypto'
import { type Database, sql } from '../db/database.ts'
import type { RecordKey } from '../db/project-key.ts'
import { judge } from '../domain/tests/judge-tests.ts'
import { record } from '../domain/tests/record.ts'
import type { Loaded } from '../world/loaded.ts'

const GAME = 'cinder-coast'
const JOB = 'cinder-functional-tests'
const RUNS = 40

const CASES = [
  ['Cinder.Boot', ['Main menu opens', 'Intro can be skipped', 'Settings survive a restart']],
  ['Cinder.Movement', ['Walks up stairs', 'Jumps over a gap', 'Climbs a ladder', 'Falls without damage from 2 m']],
  [
    'Cinder.Combat',
    ['Parry staggers the enemy', 'Arrow hits a moving target', 'Fire spreads to dry grass', 'Boss enters phase two'],
  ],
  ['Cinder.Save', ['Autosave at a campfire', 'Loads a save of 0.8', 'Keeps quest items']],
  ['Cinder.Net', ['Second player joins', 'Host migration', 'Reconnects after 30 s']],
  ['Cinder.Rendering', ['Fog matches the reference', 'Night sky matches the reference']],
] as const

/** The newest build is number 0. The regression is fixed in the newest builds; flaky tests fail now and then. */
const failureOf = (test: string, age: number): string | undefined => {
  if (test === 'Host migration' && age % 6 === 2) return 'Timed out after 30000 ms waiting for the new host'
  if (test === 'Second player joins' && age % 11 === 4) return `Timed out after ${20 + age} s waiting for a session`
  if (test === 'Boss enters phase two' && age >= 5 && age < 9) return 'Expected phase 2, got phase 1'
  if (test === 'Fog matches the reference' && age < 2) return 'Image differs by 3.1 % (allowed 0.5 %)'
  return undefined
}

interface Built {
  account_id: number
  project_id: number
  integration_id: number
  number: string
}

/** Results of the functional tests: two flaky ones of which one is in quarantine, a fixed regression and a new failure. */
export async function addTestResults(db: Database, loaded: Loaded) {
  const project = loaded.projects[GAME]!.id
  const builds = await db.rows<Built>(sql`
    select account_id, project_id, integration_id, build_number as number from build_runs
    where project_id = ${project} and ci_job_name = ${JOB} and status = 'completed' and integration_id is not null
    order by finished_at desc limit ${RUNS}`)
  for (const [age, { number, ...owner }] of [...builds.entries()].toReversed()) {
    const cases = CASES.flatMap(([suite, names], at) => names.map((name, place) => caseOf(suite, name, age, at * 4 + place)))
    const report = { format: 'Unreal Automation', platform: 'Win64', mode: '', rhi: 'D3D12', cases }
    const digest = createHash('sha256').update(`${JOB} ${number}`).digest()
    const context = { ...owner, provider: 'jenkins' as const, engine: 'unreal', approval_rules: null, config: {} }
    await record(db, context, { job: JOB, number, name: '', platform: '', files: [{ digest, report }] })
  }
  await db.execute(sql`
    update test_runs r set received_at = b.finished_at from test_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    where t.account_id = r.account_id and t.id = r.test_build_id and t.project_id = ${project}`)
  await db.execute(sql`
    update test_failures f set failed_at = b.finished_at from test_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    where t.account_id = f.account_id and t.id = f.test_build_id and t.project_id = ${project}`)
  const newest = await db.one<RecordKey>(sql`
    select account_id, max(id) as id from test_builds where project_id = ${project} group by account_id`)
  if (newest) await judge(db, newest)
  await db.execute(sql`
    insert into test_quarantines (account_id, project_id, test_case_id, reason, owner_user_id, user_id, until)
    select c.account_id, c.project_id, c.id, 'The session server of the test farm is overloaded', m.user_id, m.user_id,
      goldmaster_now() + interval '9 days'
    from test_cases c, lateral (
      select m.user_id from account_members m where m.account_id = c.account_id order by m.user_id limit 1) m
    where c.project_id = ${project} and c.name = 'Second player joins'`)
}

function caseOf(suite: string, name: string, age: number, place: number) {
  const message = failureOf(name, age) ?? ''
  // A runner that tries again reports a test that passed then as flaky.
  const outcome = message === '' ? ('passed' as const) : suite === 'Cinder.Net' ? ('flaky' as const) : ('failed' as const)
  const failed = message !== ''
  return {
    suite,
    class: suite,
    name,
    outcome,
    duration_ms: 400 + ((place * 7919 + age * 31) % 17) * 330,
    message,
    details: failed ? `Error: ${message}` : '',
    output: '',
    file: failed ? `Source/CinderTests/${suite.slice(7)}.spec.cpp` : '',
    line: failed ? 40 + place : null,
  }
}
