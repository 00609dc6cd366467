import type { FailureCategory } from '../contract/sets.ts'
import type { Candidate, EvidenceLine, Finding } from './finding.ts'
import { ADVICE } from './stages/advice.ts'
import { shortHash } from './stages/masks.ts'
import { inWorkspace } from './stages/workspace.ts'
import { attribute } from './suspects/attribute.ts'
import { bareFinding, relatedChanges } from './suspects/related-changes.ts'

/** A test that failed, as its report says. */
export interface FailedTest {
  id: string
  /** Suite, class and name: the same in every job and on every platform. */
  identity: string
  /** What it was called before, with the cause of its failures then. */
  former: { identity: string; cause: string }[]
  title: string
  message: string
  details: string
  file: string | null
  line: number | null
}

/** What the test results of a failed build say about its cause. */
export interface FailedTests {
  /** The failures of the most important cause. */
  lead: FailedTest[]
  /** The message of the lead without what differs between its tests. */
  cause: string
  /** The failures of other causes, and how many causes. */
  others: { tests: number; causes: number }
  /** Only tests failed that are known to be flaky, or are in quarantine: nobody is to blame. */
  only: 'flaky' | 'quarantined' | null
  /** The lead failed whenever it ran, and earlier runs did not have it: only a change that touches its files may have broken it. */
  first_run: boolean
}

/** What a log says of a build whose tests failed, if it says no more than the results do. */
const VAGUE: ReadonlySet<FailureCategory> = new Set(['test_failure', 'unknown', 'none', 'infrastructure', 'build_script_error'])

/** Whether the failed tests are the cause, or the log names another. */
export const isCausedByTests = ({ category, confidence, correction }: Finding): boolean =>
  !correction && (VAGUE.has(category) || confidence === 'low')

const SHOWN = 3
const DETAIL_LINES = 8
const MESSAGE_MAX = 300
const KEYS_MAX = 100

const firstLine = (text: string) =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
    .slice(0, MESSAGE_MAX) ?? ''
const placeOf = ({ file, line }: FailedTest) => (file === null ? '' : `${inWorkspace(file)}${line === null ? '' : `:${line}`}`)

/** Lines of test reports have no place in the log: their number is 0. */
function linesOf(tests: readonly FailedTest[]): string[] {
  return tests.slice(0, SHOWN).flatMap((test) => {
    const details = test.details.split('\n').filter((line) => line.trim() !== '' && line.trim() !== firstLine(test.message))
    return [`${test.title}: ${firstLine(test.message)}`, ...[placeOf(test)].filter(Boolean), ...details.slice(0, DETAIL_LINES)]
  })
}

/** The finding of the log with what the test results say. */
export function withFailedTests(found: Finding, tests: FailedTests, candidates: readonly Candidate[]): Finding {
  const lines = linesOf(tests.lead)
  const { file, line } = tests.lead[0]!
  const keyOf = (identity: string, cause: string) => `test:${shortHash(`${identity}\n${cause}`)}`
  const keys = tests.lead
    .map(({ identity }) => keyOf(identity, tests.cause))
    .sort()
    .slice(0, KEYS_MAX)
  const former = tests.lead.flatMap((test) => test.former.map(({ identity, cause }) => keyOf(identity, cause))).slice(0, KEYS_MAX)
  const isSaid = found.category === 'test_failure'
  const evidence: EvidenceLine[] = lines.map((text) => ({ line: 0, text }))
  const finding: Finding = {
    ...found,
    category: 'test_failure',
    confidence: 'high',
    diagnosis: wordsOf(tests),
    suggested_fix: isSaid ? found.suggested_fix : ADVICE.test_failure.fix,
    evidence: isSaid ? [...evidence, ...found.evidence] : evidence,
    file_path: file === null ? null : inWorkspace(file),
    line: file === null ? null : line,
    // What the log called it stays, so that results that arrive later do not open another breakage.
    fingerprint: isSaid ? found.fingerprint : keys[0]!,
    // The failure under the former name may be investigated later.
    cause_keys: [...found.cause_keys, ...keys, ...former],
    joins_keys: [...found.joins_keys, ...keys, ...former],
    former_keys: former,
    clues: { ...found.clues, tests: tests.lead.slice(0, SHOWN).map(({ title }) => title) },
    steps: [
      ...found.steps,
      { name: 'tests', status: 'done', detail: `The test results name the cause: ${wordsOf(tests)}`, evidence: [] },
    ],
  }
  const { clues, file_path } = finding
  const bare = {
    ...bareFinding(
      'test_failure',
      lines.map((text, at) => ({ line: at + 1, text })),
    ),
    clues,
    file_path,
  }
  const able = tests.first_run ? touching(finding, candidates) : candidates
  return { ...finding, attribution: attribute(bare, able, lines) }
}

const touching = ({ category, evidence }: Finding, candidates: readonly Candidate[]) => {
  const related = relatedChanges({ category, evidence }, candidates)
  return candidates.filter(({ id }) => related.has(id))
}

function wordsOf({ lead, others, only }: FailedTests): string {
  const [first] = lead
  const place = placeOf(first!)
  const what =
    lead.length === 1
      ? `A test failed${place && ` in ${place}`}: ${first!.title}: ${firstLine(first!.message)}`
      : `${lead.length} tests failed for the same reason: ${firstLine(first!.message)} (${first!.title} and ${lead.length - 1} more)`
  const also =
    others.tests === 0
      ? ''
      : ` ${others.tests} ${others.tests === 1 ? 'test' : 'tests'} failed for ${others.causes === 1 ? 'another reason' : `${others.causes} other reasons`}.`
  return `${what}${also && `.${also}`}${only ? `${also ? '' : '.'} Only ${only} tests failed.` : ''}`
}
