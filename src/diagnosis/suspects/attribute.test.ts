import { describe, expect, it } from 'vitest'
import { FAILURE_CATEGORIES, type FailureCategory } from '../../contract/sets.ts'
import type { Candidate, Finding } from '../finding.ts'
import { attribute } from './attribute.ts'
import { bareFinding } from './related-changes.ts'

/** A finding whose evidence is the given lines of the log, counted from 1. */
const findingOf = (category: FailureCategory, log: string[], ...lines: number[]): Finding =>
  bareFinding(
    category,
    lines.map((line) => ({ line, text: log[line - 1] ?? '' })),
  )

/** `change('7', 'ada', 'Tune jumps', 'Source/Jump.cpp', 'delete Source/Old.h')` */
const change = (id: string, author: string, subject: string, ...files: string[]): Candidate => ({
  id,
  author,
  timestamp: '2026-01-01T00:00:00Z',
  subject,
  files: files.map((file) => {
    const [path, action = 'edit'] = file.split(' ').reverse()
    return { path: path!, action }
  }),
})

const bystanders = [
  change('b1', 'bob', 'Polish the menu', 'Source/Menu/Menu.cpp', 'Source/Menu/Menu.h'),
  change('b2', 'bea', 'Credits', 'docs/credits.md'),
  change('b3', 'ben', 'Camera shake', 'Source/Camera/Shake.cpp'),
]

const suspectOf = (category: FailureCategory, log: string[], lines: number[], culprit: Candidate) => {
  const { suspects, attributed_author } = attribute(findingOf(category, log, ...lines), [...bystanders, culprit], log)
  return { first: suspects[0]!, named: attributed_author, ours: suspects.find(({ change_id }) => change_id === culprit.id)! }
}

it('at most three matching files of a change are listed', () => {
  const files = ['a/Qx1.cpp', 'b/Qx2.cpp', 'c/Qx3.cpp', 'd/Qx4.cpp', 'e/Qx5.cpp']
  const log = files.map((path) => `${path}(1): error C2065: undeclared identifier`)
  const { ours } = suspectOf('compile_error', log, [1, 2, 3, 4, 5], change('c', 'ada', 'Wip', ...files))
  expect(ours.reasons).toHaveLength(3)
})

describe('a change is a suspect because', () => {
  it('the evidence names its file below another workspace root', () => {
    const log = ['Building…', 'C:\\ws\\Game\\Source\\Combat\\Hero.cpp(12): error C2065: undeclared identifier', 'done']
    const { first, named } = suspectOf(
      'compile_error',
      log,
      [2],
      change('c', 'ada', 'Wip', '//depot/main/Source/Combat/Hero.cpp'),
    )
    expect(first).toMatchObject({ change_id: 'c', reasons: ['changes //depot/main/Source/Combat/Hero.cpp, named on line 2'] })
    expect(named).toBe('ada')
  })

  it.each([
    ['a generated header', 'Hero.generated.h(9): error C2143', 'Source/Hero.h'],
    ['the rules of a module', 'Combat.Build.cs(4): error CS1002', 'Source/Combat/Combat.cpp'],
    ['the object of a source', 'Hero.obj : error LNK2019: unresolved external', 'Source/Hero.cpp'],
    ['the meta file of an asset', 'Assets/Props/Barrel.prefab.meta: duplicate GUID', 'Assets/Props/Barrel.prefab'],
  ])('%s belongs to its file', (_, line, path) => {
    const { first } = suspectOf('compile_error', ['ok', line], [2], change('c', 'ada', 'Wip', path))
    expect(first.change_id).toBe('c')
    expect(first.reasons[0]).toMatch(/related to .+ on line 2$/)
  })

  it.each([
    ['FooTest and Foo', 'FAIL: InventoryTest', 'src/Inventory.kt'],
    ['foo_spec and foo', 'spec/inventory_spec.rb:7: expected 1, got 2', 'lib/inventory.rb'],
    ['test_foo and foo', 'tests/test_inventory.py:7: AssertionError', 'pkg/inventory.py'],
    ['foo.test and foo', ' ● src/inventory.test.ts:7', 'src/inventory.ts'],
  ])('a test failed whose code it changes: %s', (_, line, path) => {
    const { first } = suspectOf('test_failure', ['ok', line], [2], change('c', 'ada', 'Wip', path))
    expect(first).toMatchObject({ change_id: 'c', author: 'ada' })
  })

  it('the evidence names a class in its file', () => {
    const log = ['ok', 'java.lang.NullPointerException: at com.acme.shop.Cart.total']
    const { first } = suspectOf('crash', log, [2], change('c', 'ada', 'Wip', 'core/src/com/acme/shop/Cart.java'))
    expect(first.reasons).toContain('changes core/src/com/acme/shop/Cart.java, which contains com/acme/shop/Cart on line 2')
  })

  it('a module of the log is spelled differently in the repository', () => {
    const log = ['ok', '  1) test renders (Shop.Web.CartViewTest)']
    const { first } = suspectOf('test_failure', log, [2], change('c', 'ada', 'Wip', 'lib/shop/web/cart_view.ex'))
    expect(first.change_id).toBe('c')
  })

  it("the cook names its asset by the engine's path", () => {
    const log = ['LogCook: start', 'LogCook: Error: /Game/Maps/Arena/Arena_P.Arena_P failed to load']
    const { first } = suspectOf('cook_asset_error', log, [2], change('c', 'ada', 'Wip', 'Content/Maps/Arena/Arena_P.umap'))
    expect(first.reasons).toContain(
      'changes Content/Maps/Arena/Arena_P.umap, which contains Content/Maps/Arena/Arena_P on line 2',
    )
  })

  it.each(['delete', 'removed', 'move/delete', 'rename'])('it removed (%s) what is missing', (action) => {
    const log = ['ok', "Hero.cpp(3): fatal error C1083: Cannot open include file: 'Combat/Damage.h'"]
    const { first, named } = suspectOf('compile_error', log, [2], change('c', 'ada', 'Tidy', `${action} Source/Combat/Damage.h`))
    expect(first.reasons[0]).toMatch(/^(deletes|renames) Source\/Combat\/Damage\.h, which is missing on line 2$/)
    expect(named).toBe('ada')
  })

  it('its description shares a rare identifier with the failure', () => {
    const log = [...Array.from({ length: 30 }, (_, i) => `step ${i}`), 'AssertionError: respawnTimer was never reset']
    const { first, named } = suspectOf(
      'test_failure',
      log,
      [31],
      change('c', 'ada', 'Make respawnTimer faster', 'Source/Game.cpp'),
    )
    expect(first).toMatchObject({ change_id: 'c', reasons: ['mentions “respawntimer” as the error does'] })
    expect(named).toBe('ada')
  })

  it('its description shares what the message quotes rather than the text around it', () => {
    const log = ['loading shield', 'expected armor to be 3', 'done']
    const finding = findingOf('test_failure', log, 1, 2, 3)
    const both = [change('1', 'eve', 'Rework shield', 'a.cpp'), change('2', 'ada', 'Rework armor', 'a.cpp')]
    finding.clues.symbols = ['armor']
    expect(attribute(finding, both, log).suspects[0]?.change_id).toBe('2')
    finding.clues.symbols = ['shield']
    expect(attribute(finding, both, log).suspects[0]?.change_id).toBe('1')
  })

  it('it changes dependency declarations and they cannot be resolved', () => {
    const log = ['npm install', 'npm ERR! ERESOLVE unable to resolve dependency tree']
    const { first, named } = suspectOf('dependency_resolution', log, [2], change('c', 'ada', 'Bump', 'package.json'))
    expect(first.reasons).toContain('changes package.json, where dependencies and modules are declared')
    expect(named).toBe('ada')
  })

  it('it changes the build configuration and the build script fails', () => {
    const log = ['+ make dist', 'invalid argument ":current" for t: invalid reference format']
    const { first } = suspectOf('build_script_error', log, [2], change('c', 'ada', 'Faster', 'Jenkinsfile'))
    expect(first.reasons).toContain('changes Jenkinsfile, which controls the build')
  })
})

describe('a change is less suspicious when', () => {
  const log = ['ok', 'FAIL Source/Combat/HeroTest.cpp:12 expected 3']

  it('it contains nothing that could cause the failure', () => {
    const { ours } = suspectOf('test_failure', log, [2], change('c', 'ada', 'Typo', 'docs/hero.md'))
    expect(ours.reasons).toContain('has no file types that can cause this failure')
  })

  it('it changes everything', () => {
    const sweep = change(
      'sweep',
      'eve',
      'Format',
      'Source/Combat/Hero.cpp',
      ...Array.from({ length: 200 }, (_, i) => `Source/Gen/F${i}.cpp`),
    )
    const { first } = attributeAll(
      'compile_error',
      ['ok', 'Source/Combat/Hero.cpp:3: error: x'],
      [sweep, change('c', 'ada', 'Wip', 'Source/Combat/Hero.cpp')],
    )
    expect(first?.change_id).toBe('c')
  })

  it('it is described as documentation', () => {
    const log = ['ok', 'FAIL Source/Combat/HeroTest.cpp:12']
    const path = 'Source/Combat/Hero.cpp'
    const { suspects } = attributeAll('test_failure', log, [
      change('1', 'eve', 'Fix typo', path),
      change('2', 'ada', 'Faster', path),
    ])
    expect(suspects.map(({ change_id }) => change_id)).toEqual(['2', '1'])
    expect(suspects[1]?.reasons).toContain('is described as documentation')
  })

  it('its file is installed by a package manager', () => {
    const trace = ['ok', '    at run (/ws/node_modules/tape/lib/test.js:225:54)']
    const { ours } = suspectOf('test_failure', trace, [2], change('c', 'ada', 'Wip', 'lib/test.js'))
    expect(ours.reasons).toEqual([])
  })

  it('the log names it only because it was checked out', () => {
    const checkout = ['HEAD is now at 1234567 Make respawnTimer faster', 'git checkout Source/Spawn.cpp', 'error: assertion']
    const { ours } = suspectOf('test_failure', checkout, [3], change('c', 'ada', 'Make respawnTimer faster', 'Source/Spawn.cpp'))
    expect(ours.reasons).toEqual([])
  })
})

const attributeAll = (category: FailureCategory, log: string[], candidates: Candidate[]) => {
  const { suspects, attributed_author } = attribute(findingOf(category, log, 2), candidates, log)
  return { first: suspects[0], suspects, named: attributed_author }
}

describe('no author is named', () => {
  const log = ['ok', 'Source/Combat/Hero.cpp:3: error: no matching function']
  const culprit = change('c', 'ada', 'Wip', 'Source/Combat/Hero.cpp')

  it.each([
    'network',
    'timeout',
    'out_of_memory',
    'out_of_disk',
    'workspace_lock',
    'scm_sync',
    'license_seat',
    'signing',
    'infra_agent',
    'infrastructure',
    'none',
    'unknown',
  ] as const)('for %s, whatever the log contains', (category) => {
    expect(attributeAll(category, log, [...bystanders, culprit]).named).toBeNull()
    expect(attributeAll(category, log, [culprit]).named).toBeNull()
  })

  it('when two authors changed the file', () => {
    expect(attributeAll('compile_error', log, [culprit, change('d', 'dan', 'Wip', 'Source/Combat/Hero.cpp')]).named).toBeNull()
  })

  it('if the log names nothing that was changed', () => {
    expect(attributeAll('compile_error', ['ok', 'Source/Audio/Mix.cpp:3: error'], [...bystanders, culprit]).named).toBeNull()
  })

  it('for editing a test that now fails', () => {
    const failing = ['ok', 'FAIL Source/Combat/HeroTest.cpp:12']
    const edited = change('c', 'ada', 'Wip', 'Source/Combat/HeroTest.cpp')
    expect(attributeAll('test_failure', failing, [...bystanders, edited]).named).toBeNull()
    const withCode = change('c', 'ada', 'Wip', 'Source/Combat/HeroTest.cpp', 'Source/Combat/Hero.cpp')
    expect(attributeAll('test_failure', failing, [...bystanders, withCode]).named).toBeNull()
    const naming = [...failing.slice(0, 1), `${failing[1]} in Source/Combat/Hero.cpp:7`]
    expect(attributeAll('test_failure', naming, [...bystanders, withCode]).named).toBe('ada')
  })

  it('if a test or a package manager met a failing machine', () => {
    const timeout = ['ok', 'FAIL Source/Combat/HeroTest.cpp:12 timed out after 60 s']
    const withCode = change('c', 'ada', 'Wip', 'Source/Combat/HeroTest.cpp', 'Source/Combat/Hero.cpp')
    expect(attributeAll('test_failure', timeout, [...bystanders, withCode]).named).toBeNull()
    const offline = ['ok', "Couldn't establish HTTP connection"]
    expect(
      attributeAll('dependency_resolution', offline, [...bystanders, change('c', 'ada', 'Bump', 'package.json')]).named,
    ).toBeNull()
  })

  it('if the cause is only a guess', () => {
    const log = ['ok', 'Source/Combat/Hero.cpp:3: error: no matching function']
    const all = [...bystanders, change('c', 'ada', 'Wip', 'Source/Combat/Hero.cpp')]
    const named = (confidence: Finding['confidence']) =>
      attribute({ ...findingOf('compile_error', log, 2), confidence }, all, log).attributed_author
    expect([named('medium'), named('low')]).toEqual(['ada', null])
  })

  it('if there are no changes', () => {
    expect(attributeAll('compile_error', log, [])).toMatchObject({ suspects: [], named: null })
  })
})

describe('the only author since the last passed build', () => {
  const log = ['ok', 'error: something broke']
  it('is named for a failure of code or content', () => {
    expect(attributeAll('compile_error', log, [change('1', 'ada', 'A', 'a.cpp'), change('2', 'ada', 'B', 'b.cpp')]).named).toBe(
      'ada',
    )
  })
  it('is not named for changes that cannot cause it', () => {
    expect(attributeAll('compile_error', log, [change('1', 'ada', 'A', 'README.md')]).named).toBeNull()
  })
})

describe('the result', () => {
  const log = ['ok', 'Source/Combat/Hero.cpp:3: error: no matching function', 'Source/Menu/Menu.cpp: note']
  const all = [
    ...bystanders,
    change('c', 'ada', 'Wip', 'Source/Combat/Hero.cpp'),
    change('d', 'dan', 'Wip', 'Source/Combat/Hero.cpp'),
  ]

  it('depends neither on the order of the changes nor on their age', () => {
    const verdict = attribute(findingOf('compile_error', log, 2), all, log)
    const shuffled = [...all].reverse().map((each, index) => ({ ...each, timestamp: new Date(index * 1e9).toISOString() }))
    expect(attribute(findingOf('compile_error', log, 2), shuffled, log)).toEqual(verdict)
    expect(attribute(findingOf('compile_error', log, 2), all, log)).toEqual(verdict)
  })

  it("does not grow with the number of an author's harmless changes", () => {
    const many = Array.from({ length: 40 }, (_, i) => change(`m${i}`, 'mia', 'Tune', `Source/Tune/T${i}.cpp`))
    const culprit = change('c', 'ada', 'Wip', 'Source/Combat/Hero.cpp')
    expect(attributeAll('compile_error', log, [...many, culprit]).named).toBe('ada')
  })

  it('has ten suspects at most, with descending scores from 0 to 1', () => {
    const many = Array.from({ length: 40 }, (_, i) => change(`m${i}`, 'mia', 'Tune', `Source/Tune/T${i}.cpp`))
    const scores = attributeAll('compile_error', log, [...many, ...all]).suspects.map(({ score }) => score)
    expect(scores).toHaveLength(10)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
  })

  it('exists for every category', () => {
    for (const category of FAILURE_CATEGORIES) expect(attributeAll(category, log, all).suspects).toHaveLength(all.length)
  })

  it('survives evidence beyond the end of the log and changes without files', () => {
    expect(attribute(findingOf('compile_error', log, 99), [change('x', 'ada', '')], log).suspects).toHaveLength(1)
  })
})
