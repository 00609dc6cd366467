import { expect, it } from 'vitest'
import type { FailureCategory } from '../../contract/sets.ts'
import type { Candidate } from '../finding.ts'
import { attribute } from './attribute.ts'
import { bareFinding } from './related-changes.ts'

const change = (author: string, subject: string, ...paths: string[]): Candidate => ({
  id: `${author} ${subject}`,
  author,
  timestamp: '2026-01-01T00:00:00Z',
  subject,
  files: paths.map((path) => ({ path, action: 'edit' })),
})

const bystander = change('bob', 'Polish the menu', 'Source/Menu/Menu.cpp', 'Content/Menu/Arena_P.umap')

/** The author who is named for a failure with this line. */
const namedFor = (category: FailureCategory, line: string, ...changes: Candidate[]) =>
  attribute(bareFinding(category, [{ line: 2, text: line }]), changes, ['ok', line]).attributed_author

it('whoever merges a change is no second author of it', () => {
  const line = 'Source/Combat/Hero.cpp(12): error C2065: undeclared identifier'
  const own = change('ada', 'Faster punches', 'Source/Combat/Hero.cpp')
  const merge = change('eve', 'Merge pull request #7 from ada/punches', 'Source/Combat/Hero.cpp')
  expect(namedFor('compile_error', line, bystander, own, merge)).toBe('ada')
  expect(namedFor('compile_error', line, bystander, own, { ...merge, subject: 'Slower punches' })).toBeNull()
})

it('a merge that brings files of its own counts like any change', () => {
  const line = 'Source/Combat/Hero.cpp(12): error C2065: undeclared identifier'
  const own = change('ada', 'Faster punches', 'Source/Combat/Hero.cpp')
  const merge = change('eve', "Merge branch 'punches'", 'Source/Combat/Hero.cpp', 'Source/Combat/Fist.cpp')
  expect(namedFor('compile_error', line, bystander, own, merge)).toBeNull()
})

it('a package is the file at its whole path, not one of that name elsewhere', () => {
  const line = 'LogCook: Error: /Game/Maps/Arena/Arena_P.Arena_P failed to load'
  const own = change('ada', 'Wip', 'Game/Content/Maps/Arena/Arena_P.umap')
  expect(namedFor('cook_asset_error', line, bystander, own)).toBe('ada')
  expect(namedFor('cook_asset_error', line, bystander, change('ada', 'Wip', 'Source/Sky.cpp'))).toBeNull()
})

it('an error of the pipeline script is one of the Jenkinsfile', () => {
  const line = 'WorkflowScript: 12: expecting }, found stage @ line 12, column 3.'
  expect(namedFor('build_script_error', line, bystander, change('ada', 'Wip', 'Jenkinsfile'))).toBe('ada')
})

it('a name without a folder is no proof if changes have it in several folders', () => {
  const line = 'CHANGELOG.md failed indent_char: found two spaces'
  const [own, other] = [change('ada', 'Wip', 'packages/base/CHANGELOG.md'), change('ada', 'More', 'packages/react/CHANGELOG.md')]
  const finding = { ...bareFinding('lint_or_doc', [{ line: 2, text: line }]), file_path: 'CHANGELOG.md' }
  const named = (...changes: Candidate[]) => attribute(finding, changes, ['ok', line]).attributed_author
  expect(named(bystander, own)).toBe('ada')
  expect(named(bystander, own, other)).toBeNull()
})

it('whoever edits a failing test and the code it is named after is not its cause without more', () => {
  const line = 'Tests/SessionTests.swift:550: XCTAssertTrue failed'
  const own = change('ada', 'Wip', 'Tests/SessionTests.swift', 'Source/Session.swift')
  expect(namedFor('test_failure', line, bystander, own)).toBeNull()
  expect(namedFor('test_failure', `${line} in Source/Session.swift:12`, bystander, own)).toBe('ada')
})

it('a description with three words of the failing test in a row is proof', () => {
  const name = 'testThatAppendingResponseSerializerCallsCompletion'
  const finding = { ...bareFinding('test_failure', [{ line: 2, text: `${name} crashed` }]) }
  const named = (subject: string) =>
    attribute(
      { ...finding, clues: { ...finding.clues, tests: [name] } },
      [bystander, change('ada', subject, 'Source/Request.swift')],
      ['ok', `${name} crashed`],
    ).attributed_author
  expect(named('Appending response serializer now resumes')).toBe('ada')
  expect(named('Resume a finished request')).toBeNull()
})

it('a small lead is enough for the only change with proof', () => {
  const line = 'xcodebuild: error: Unable to find a destination matching codable values of swifty'
  const log = [...Array.from({ length: 40 }, (_, step) => `step ${step}`), line]
  const code = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => `Source/${name}.swift`)
  const { suspects, attributed_author } = attribute(
    bareFinding('build_script_error', [{ line: log.length, text: line }]),
    [change('eve', 'Support codable values of swifty', ...code), change('ada', 'Update the image', '.travis.yml')],
    log,
  )
  expect(suspects[0]!.score / suspects[1]!.score).toBeLessThan(1.2)
  expect(attributed_author).toBe('ada')
})

it('whoever uses a class is not named if another change edits the header that the error names', () => {
  const line = "Source/Combat/Hero.cpp(12): error C2039: 'SetMaxHealth': is not a member of 'HealthPool'"
  const touched = change('ada', 'Faster punches', 'Source/Combat/Hero.cpp')
  const header = (subject: string) => change('eve', subject, 'Source/Combat/HealthPool.h')
  const finding = bareFinding('compile_error', [{ line: 2, text: line }])
  const named = (...changes: Candidate[]) =>
    attribute({ ...finding, clues: { ...finding.clues, symbols: ['SetMaxHealth', 'HealthPool'] } }, changes, ['ok', line])
      .attributed_author
  expect(named(bystander, touched)).toBe('ada')
  expect(named(bystander, touched, header('Cleanup'))).toBeNull()
  expect(named(bystander, touched, header('Rename SetMaxHealth'))).toBe('eve')
})

it('a configuration file does not break a compiler', () => {
  const line = 'Source/Combat/Hero.cpp(12): error C2065: undeclared identifier'
  expect(namedFor('compile_error', line, change('ada', 'Tune gravity', 'Config/DefaultGame.ini'))).toBeNull()
  expect(namedFor('cook_asset_error', 'LogCook: Error: no default map', change('ada', 'Maps', 'Config/DefaultGame.ini'))).toBe(
    'ada',
  )
})
