import { expect, test } from 'vitest'
import { assetFiles } from './changed-files.ts'

test.each(['delete', 'move/delete', 'removed', 'purge', 'archive'])(
  'a file with the action %s is no asset any more',
  (action) => {
    const files = [
      { path: 'Content/T_Gone.png', action },
      { path: 'Content/T_Here.png', action: 'edit', size_bytes: 7 },
    ]
    expect(assetFiles({ files })).toEqual([{ path: 'Content/T_Here.png', asset_type: 'texture', size_bytes: 7 }])
  },
)

test('an unknown file type, a path that is too long, and a change without files are no assets', () => {
  const files = [
    { path: 'LICENSE', action: 'edit' },
    { path: `${'ä'.repeat(1_000)}.png`, action: 'edit' },
  ]
  expect(assetFiles({ files })).toEqual([])
  expect(assetFiles({ files: null })).toEqual([])
})
