import { expect, test } from 'vitest'
import { readRules } from './path-owner-rules.ts'

const names = ['AutomationTests', '', 'Project.Maps.Arena']

test('the last matching rule names the owners, and one without owners means nobody', () => {
  const ruleOf = readRules(`# Everybody
* @all   # the rest
/Source/Audio/ @kim @tom
/Source/Audio/Third\\ Party/
[Art]
*.psd @art
`)
  const of = (file: string | null) => ruleOf({ file, names })?.owners
  expect(of('Source/Ai/Nav.cpp')).toEqual(['@all'])
  expect(of('source\\audio\\Mixer\\Bus.cpp')).toEqual(['@kim', '@tom'])
  expect(of('Source/Audio/Third Party/Ogg.cpp')).toEqual([])
  expect(of('Source/Audio/Icons/Mixer.psd')).toEqual(['@art'])
  expect(of(null)).toEqual(['@all'])
})

test.each([
  ['/Docs', 'Docs/Api/Index.md', true],
  ['/Docs', 'Game/Docs/Index.md', false],
  ['Docs/*', 'Docs/Index.md', true],
  ['Docs/*', 'Docs/Api/Index.md', false],
  ['Docs/**', 'Docs/Api/Index.md', true],
  ['**/Audio/*.cpp', 'Source/Game/Audio/Bus.cpp', true],
  ['Source/**/Bus.cpp', 'Source/Bus.cpp', true],
  ['Audio/', 'Source/Audio/Bus.cpp', true],
  ['Audio/', 'Source/Audio', false],
  ['Nav*', 'Source/NavMesh.cpp', true],
  ['Nav', 'Source/NavMesh.cpp', false],
  ['/Source/Ai/', 'Other/Source/Ai/Nav.cpp', false],
  ['/Source/Ai/', 'D:\\build\\ws\\Source\\Ai\\Nav.cpp', true],
  ['/Source/Ai/', '/home/ci/ws/Source/Ai/Nav.cpp', true],
  ['Project/Maps/', null, true],
  ['Project/Maps/Arena', null, true],
  ['Project/Audio/', null, false],
])('the rule %s and the file %s: %s', (pattern, file, matches) => {
  expect(readRules(`${pattern} @kim`)({ file, names })?.owners).toEqual(matches ? ['@kim'] : undefined)
})

test('a rule with many stars does not take long', () => {
  const started = process.cpuUsage()
  expect(readRules(`/${'**/a*/'.repeat(3_000)}b @kim`)({ file: 'a/'.repeat(200), names })).toBeUndefined()
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000)
})
