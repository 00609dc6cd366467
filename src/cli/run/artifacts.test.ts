import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { filesOf } from './artifacts.ts'

const folder = mkdtempSync(join(tmpdir(), 'goldmaster-artifacts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const path of ['Game.pak', 'Saved/a.zip', 'Saved/deep/er/b.zip', 'Saved/deep/c(1)+.log']) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), 'x'.repeat(7))
}

test.each([
  ['Game.pak', ['Game.pak']],
  ['*.pak', ['Game.pak']],
  ['Saved/*.zip', ['Saved/a.zip']],
  ['Saved/**/*.zip', ['Saved/a.zip', 'Saved/deep/er/b.zip']],
  ['Saved\\deep\\*', ['Saved/deep/c(1)+.log']],
  ['Saved/*/c(?)+.log', ['Saved/deep/c(1)+.log']],
  ['nothing/**', []],
  ['Saved', []],
])('%s matches %j', (glob, files) => {
  const base = folder.replaceAll('\\', '/')
  expect(filesOf([`${base}/${glob}`])).toEqual(files.map((name) => ({ name: `${base}/${name}`, size_bytes: 7 })))
})
