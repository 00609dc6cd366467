import { expect, test } from 'vitest'
import { progressOf } from './import-progress.ts'

const one = {
  counts: { changes: { read: 120, added: 90 }, files: { read: 40, added: 40 }, issues: { read: 300, added: 1 } },
  expected: { changes: 500, issues: 200 },
}

test.each([
  ['a part that the tool counted', 'changes', { read: 120, all: 500 }],
  ['files, of the changes that the import added', 'files', { read: 40, all: 90 }],
  ['a part that has grown since it was counted', 'issues', { read: 300, all: 300 }],
  ['a part that the tool does not count and that is not read yet', 'builds', { read: 0, all: undefined }],
] as const)('the progress of %s is what was read of what there is', (_, part, progress) => {
  expect(progressOf(one, part)).toEqual(progress)
})

test('files are of an unknown number until changes are read', () => {
  expect(progressOf({ counts: {}, expected: { changes: 7 } }, 'files')).toEqual({ read: 0, all: undefined })
})
