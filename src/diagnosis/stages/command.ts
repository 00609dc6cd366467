import type { FailureCategory } from '../../contract/sets.ts'
import { type Log, plainText } from '../log.ts'
import type { Segments } from './segment.ts'

/** The likely category of a failed command if its output is no help. */
const KINDS: readonly [RegExp, FailureCategory][] = [
  [/\b(?:git (?:clone|fetch|checkout|submodule|lfs)|p4 sync|svn (?:co|checkout|up))\b/, 'scm_sync'],
  [
    /lint|format|style|critic|spell|proof|links?\b|awesome_?bot|docs?\b|markdown|integrity|\bcheck|tidy|\bcs\b|sniff|fmt\b|\bvet\b|\.md\b/i,
    'lint_or_doc',
  ],
  [
    /\b(?:npm|yarn|pnpm|bundle|pip|composer|gem|mix|cpan\w*|apt(?:-get)?|brew|conda|carthage|pod) (?:ci|i|install|update|deps\.get|add)\b/,
    'dependency_resolution',
  ],
  [
    /(?:^|[\s;&|/"])(?:pytest|py\.test|rspec|phpunit|ctest|jest|mocha|karma|tox|nosetests|prove|(?:npm|yarn|pnpm|go|cargo|mix|dotnet|rake|make|mvnw?|gradlew?|sbt|lein|swift|flutter|dart|bundle exec rake|npm run|yarn run|xcodebuild) (?:-\S+ )*(?:test|spec|check)s?)\b|\s-runTests\b/,
    'test_failure',
  ],
]

const byCommand = (command: string): FailureCategory =>
  KINDS.find(([kind]) => kind.test(command))?.[1] ?? (command.trim() ? 'build_script_error' : 'unknown')

const POSITION = /^\s*(?:\d+:\d+\s|\S{1,250}\.\w{1,10}[:(] ?\d+)/
const ERROR = /\berror\b/i
const COMPARISON = /\b(?:expected|assert\w*|to equal|but (?:was|got)|got:|actual)\b/i

/** A stack frame names functions and files that say nothing about the kind of failure. */
const FRAME = /^\s+(?:at |from |File "|\S{1,250}: in )/

/** The code itself cannot be read; data that cannot be read is another matter. */
const SYNTAX = /^(?:E {3,8})?\w{0,40}SyntaxError: (?!.{0,200}\bJSON\b)/

/** A test file, as its runner and stack traces print it. */
const TEST_FILE = /(?:^|[\s"'(/\\])(?:test_\w{1,80}|\w{1,80}[._](?:test|spec))\.\w{1,4}\b/

/** Lists of locations without the word error come from checkers; expected and actual values come from tests. */
function byShape(lines: readonly string[]): FailureCategory | null {
  const places = lines.filter((line) => POSITION.test(line)).length
  if (places > 0 && places >= lines.length / 2 && !lines.some((line) => ERROR.test(line))) return 'lint_or_doc'
  if (lines.some((line) => SYNTAX.test(line))) return 'compile_error'
  return lines.some((line) => (COMPARISON.test(line) && !FRAME.test(line)) || TEST_FILE.test(line)) ? 'test_failure' : null
}

/** Whether the failed step only checks: a compiler-like line may be a linter's there. */
export const isCheck = ({ failing }: Segments) =>
  failing !== null && byCommand(`${failing.command} ${failing.reported}`) === 'lint_or_doc'

/** The category of a failure without a rule: by the purpose of the command, and the look of its output. */
export function categoryOfUnknown(log: Log, segments: Segments, lines: readonly number[]): FailureCategory {
  const { failing } = segments
  const command = failing ? `${failing.command} ${failing.reported}` : ''
  const guess = byCommand(command)
  if (guess !== 'test_failure' && guess !== 'unknown' && guess !== 'build_script_error') return guess
  return byShape(lines.map((index) => plainText(log, index))) ?? guess
}
