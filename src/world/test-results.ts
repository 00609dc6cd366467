import {
  filled,
  flag,
  instant,
  integer,
  list as listOf,
  oneOf,
  optional,
  required,
  text,
  type Values,
} from '../contract/field-readers.ts'
import * as sets from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'
import type { ProjectKey } from '../db/project-key.ts'
import { recordOf } from '../domain/tests/record.ts'
import { idOf, memberOf, object, reference } from './values.ts'

const NAME_MAX = 1000
const MESSAGE_MAX = 1000
const TEXT_MAX = 16 * 1024

const quarantine = object({
  until: required(instant),
  reason: optional(text(MESSAGE_MAX)),
  owner: optional(reference('users')),
  user: optional(reference('users')),
  quarantined_at: optional(instant),
})

/** A report of the tests of a build. */
export const TEST_RESULTS = {
  key: optional(filled(200)),
  build_run: required(reference('build_runs')),
  report: optional(text(NAME_MAX)),
  platform: optional(text(NAME_MAX)),
  rhi: optional(text(NAME_MAX)),
  cases: required(
    listOf(
      object({
        suite: optional(text(NAME_MAX)),
        class: optional(text(NAME_MAX)),
        name: required(filled(NAME_MAX)),
        outcome: optional(oneOf(sets.TEST_OUTCOMES)),
        duration_ms: optional(integer(0)),
        message: optional(text(MESSAGE_MAX)),
        details: optional(text(TEXT_MAX)),
        output: optional(text(TEXT_MAX)),
        file: optional(text(NAME_MAX)),
        line: optional(integer(1)),
        crashed: optional(flag),
        quarantine: optional(quarantine),
      }),
    ),
  ),
  received_at: optional(instant),
}

/** Records a report like an upload. Returns its test build. */
export async function recordTests(db: Database, values: Values<typeof TEST_RESULTS>): Promise<ProjectKey & { id: number }> {
  const { build_run, report = '', platform = '', rhi = '', cases, received_at } = values
  const { account_id, project_id } = build_run.found as { account_id: number; project_id: number }
  const told = cases.map((each) => ({
    suite: each.suite ?? '',
    class: each.class ?? '',
    name: each.name,
    outcome: each.outcome ?? 'passed',
    duration_ms: each.duration_ms ?? null,
    message: each.message ?? '',
    details: each.details ?? '',
    output: each.output ?? '',
    file: each.file ?? '',
    line: each.line ?? null,
    crashed: each.crashed ?? false,
  }))
  const tests = { format: 'World file', platform, mode: report, rhi, cases: told }
  const { test_build_id, case_ids } = await recordOf(db, { account_id, id: idOf(build_run) }, tests, received_at)
  for (const [at, { quarantine }] of cases.entries())
    if (quarantine)
      await db.execute(sql`
        insert into test_quarantines (account_id, project_id, test_case_id, reason, owner_user_id, user_id, quarantined_at, until)
        values (${account_id}, ${project_id}, ${case_ids[at]!}, ${quarantine.reason ?? ''},
          ${quarantine.owner ? memberOf({ account_id }, quarantine.owner) : null},
          ${quarantine.user ? memberOf({ account_id }, quarantine.user) : null},
          coalesce(${quarantine.quarantined_at ?? null}::timestamptz, goldmaster_now()), ${quarantine.until})
        on conflict (account_id, test_case_id) do update set reason = excluded.reason, owner_user_id = excluded.owner_user_id,
          user_id = excluded.user_id, quarantined_at = excluded.quarantined_at, until = excluded.until`)
  return { id: test_build_id, account_id, project_id }
}
