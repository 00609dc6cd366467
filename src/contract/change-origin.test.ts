import { expect, test } from 'vitest'
import { isBot, isCarriedOver, originOf } from './change-origin.ts'

const ROBOMERGE = `Fix the crash when a pawn is destroyed twice

#rb ann.doe
#ROBOMERGE-OWNER: kim.doe
#ROBOMERGE-AUTHOR: ann.doe
#ROBOMERGE-SOURCE: CL 13011248 in //UE5/Release-5.0/... via CL 13011285
#ROBOMERGE-BOT: STARSHIP (Release-Engine-Staging -> Release-Engine-Test) (v836-13004062)
`

test.each([
  [ROBOMERGE, ['13011248']],
  [
    'Fix the moon\n\n(cherry picked from commit 0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c)',
    ['0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c'],
  ],
  ['Merging CL 1190 from //game/dev to //game/main', ['1190']],
  ['Copying //game/dev/...@1190 to //game/main', ['1190']],
  ['Integrated from CL#1190', ['1190']],
  ['Merge CLs 1190, 1191 and 1195 from dev', ['1190', '1191', '1195']],
  ['Merge //game/dev/...@1190,@1195 to main', ['1190', '1195']],
  ['[Auto] cherry-pick change 1190 to rel-1.0', ['1190']],
])('%j is an integration of %j', (description, sources) => {
  expect(originOf(description).sources).toEqual(sources)
  expect(isCarriedOver({ author: 'kim', description })).toBe(true)
})

test.each([
  'Fix CL 1190',
  'Back out changelist 1190',
  'Merging //game/dev to //game/main',
  "Merge branch 'fix/moon-12' into main",
  'Mergeable buffers for CL 12',
  'Add the Copy button, asked for in change 12',
])('%j is an integration of no change', (description) => {
  expect(originOf(description)).toEqual({ sources: [], author: undefined, coAuthors: [] })
})

test('tags name the author, and the last lines name co-authors', () => {
  expect(originOf(ROBOMERGE).author).toBe('ann.doe')
  const { coAuthors } = originOf('Bump\n\nCo-authored-by: Ann <ann@example.com>\nco-authored-by: Bo <bo@example.com>\r\n')
  expect(coAuthors).toEqual(['Ann <ann@example.com>', 'Bo <bo@example.com>'])
})

test('a co-author counts as the author of a bot’s change, and as a helper in a person’s', () => {
  const description = 'Bump\n\nCo-authored-by: Ann <ann@example.com>'
  expect([isBot('renovate[bot] <bot@example.com>'), isBot('Robota <bot@example.com>')]).toEqual([true, false])
  expect(isCarriedOver({ author: 'renovate[bot]', description })).toBe(true)
  expect(isCarriedOver({ author: 'Kim', description })).toBe(false)
})

test('a hostile description of the greatest length is read quickly', () => {
  for (const part of ['Merging CL 1, ', '#ROBOMERGE-AUTHOR: ', '@1,', 'Merge CLs 1 and 1 and ', '(cherry picked from commit '])
    expect(originOf(part.repeat(100_000)).sources.length).toBeLessThanOrEqual(50)
})
