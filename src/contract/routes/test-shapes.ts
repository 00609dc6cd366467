import { Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, text } from '../fields.ts'
import { changeReference } from '../health-shapes.ts'
import * as sets from '../sets.ts'

/** Results of automated tests. */

const testCase = {
  id: idText,
  ci_job_name: text,
  /** What distinguishes it from other reports of the job, such as PlayMode. */
  report: nullable(text),
  platform: nullable(text),
  rhi: nullable(text),
  suite: text,
  class: text,
  name: text,
}
/** The owners that the project's rules name, last matching rule: the id of a member, or the text of anybody else. */
export const TestOwners = Type.Array(object({ user_id: nullable(integer), text: nullable(text) }))
const counts = { tests: integer, passed: integer, failed: integer, errors: integer, skipped: integer, flaky: integer }
const place = { file: nullable(text), line: nullable(integer) }

/** Its failures open no breakage until then. */
const quarantine = object({
  until: instant,
  reason: text,
  /** Who takes care of it, and who quarantined it. */
  owner_user_id: nullable(integer),
  user_id: nullable(integer),
  quarantined_at: instant,
})

export const TestCase = object(testCase)
const TimedTestCase = object({ ...testCase, duration_ms: integer, previous_ms: nullable(integer) })
const TestFailure = object({
  ...testCase,
  outcome: oneOf(sets.TEST_OUTCOMES),
  state: oneOf(sets.TEST_FAILURE_STATES),
  /** Known to be flaky on the branch. */
  flaky: flag,
  /** In how many of how many runs it was flaky there, if it is. */
  flaky_runs: nullable(object({ flaky: integer, of: integer })),
  quarantined: flag,
  cause: text,
  /** The source file or class in which it failed: failures with the same message and place have one cause. */
  place: text,
  message: text,
  ...place,
  owners: TestOwners,
})

export const BuildTests = object({
  ...counts,
  /** What the build counts as for its branch and breakages; null until it passed or failed. Its status is what its CI says. */
  verdict: nullable(oneOf(sets.BUILD_VERDICTS)),
  /** Failures of tests in quarantine. */
  quarantined: integer,
  duration_ms: integer,
  reports: Type.Array(
    object({
      report: nullable(text),
      platform: nullable(text),
      rhi: nullable(text),
      ...counts,
      duration_ms: integer,
      compared_with_build_run_id: nullable(idText),
      received_at: instant,
    }),
  ),
  new_failures: integer,
  still_failing: integer,
  /** Failures of tests that no earlier run on the branch had. */
  first_run_failures: integer,
  causes: Type.Array(object({ cause: text, place: nullable(text), tests: integer, new_failures: integer })),
  failures: Type.Array(TestFailure),
  fixed: Type.Array(TestCase),
  skipped_tests: Type.Array(TestCase),
  slower: Type.Array(TimedTestCase),
})

export const ProjectTests = object({
  failing: Type.Array(
    object({ ...testCase, failures: integer, last_failed_at: instant, last_build_run_id: nullable(idText), owners: TestOwners }),
  ),
  flaky: Type.Array(
    object({
      ...testCase,
      flaky_runs: integer,
      /** How many of its newest runs were compared: its rate is flaky_runs of these. */
      runs: integer,
      last_failed_at: instant,
      last_build_run_id: nullable(idText),
      owners: TestOwners,
    }),
  ),
  slowest: Type.Array(object({ ...testCase, duration_ms: integer })),
  quarantined: Type.Array(object({ ...testCase, quarantine, failures: integer, owners: TestOwners })),
})

export const TestHistory = object({
  ...testCase,
  quarantine: nullable(quarantine),
  owners: TestOwners,
  /** By branch, whether it fails there and since when. */
  branches: Type.Array(
    object({
      branch: text,
      flaky: flag,
      failing: flag,
      /** The first failure after the last pass. Null if the newest run passed, or if the test is flaky. */
      first_failed_build_run_id: nullable(idText),
      last_passed_build_run_id: nullable(idText),
      /** It broke after the first change, up to the second. The first is null if no earlier run passed: then it broke there or before. */
      last_good_change: nullable(changeReference),
      first_bad_change: nullable(changeReference),
      /** Changes in between, the bad one included; with 1 it is the change that broke the test. Null if unknown. */
      changes_in_range: nullable(integer),
    }),
  ),
  runs: Type.Array(
    object({
      build_run_id: idText,
      build_number: text,
      branch: text,
      commit_hash: text,
      changelist: text,
      outcome: oneOf(sets.TEST_OUTCOMES),
      duration_ms: nullable(integer),
      received_at: instant,
    }),
  ),
  failures: Type.Array(
    object({
      build_run_id: nullable(idText),
      build_number: text,
      outcome: oneOf(sets.TEST_OUTCOMES),
      message: text,
      details: text,
      output: text,
      ...place,
      failed_at: instant,
    }),
  ),
})
