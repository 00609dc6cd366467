import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { testWith } from '../../../test/support/skippable.ts'
import { operatorCommands } from '../../service/operate.ts'
import { buildProgram } from '../main.ts'
import { manPages } from './man-pages.ts'
import { INTRODUCTION, manual } from './manual.ts'

const FOLDER = resolve('docs/cli')

const program = () =>
  buildProgram(Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()])))

test('the manual equals the help of every command (npx tsx scripts/cli-manual.mjs writes it)', async () => {
  const written = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(resolve(FOLDER, file), 'utf8')]))
  expect([...written.keys()].sort()).toEqual([...manual(await program()).keys()].sort())
  for (const [file, text] of manual(await program())) expect(written.get(file), file).toBe(text)
})

test('every command of the client and of the operator has an example', async () => {
  const operators = Object.keys(operatorCommands)
  for (const [file, text] of manual(await program())) {
    const first = file.replace(/[-.].*$/, '')
    if (file !== 'README.md' && (first === 'admin' || !operators.includes(first)) && first !== 'bridge')
      expect(text, file).toContain('\nExamples:\n  ')
  }
})

test('the package lists every man page, so that npm links them', async () => {
  const { man } = JSON.parse(readFileSync('package.json', 'utf8'))
  const pages = [...manPages(await program(), INTRODUCTION).keys()]
  expect(man).toEqual(pages.sort().map((file) => `dist/man/man1/${file}`))
})

testWith('man')('man reads every page without a warning, and it equals --help', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-man-'))
  for (const [file, text] of manPages(await program(), INTRODUCTION)) {
    writeFileSync(join(folder, file), text)
    const read = spawnSync('man', ['--warnings=w', '-l', join(folder, file)], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '120', LC_ALL: 'C.UTF-8' },
    })
    expect(read, file).toMatchObject({ status: 0, stderr: '' })
    if (file === 'goldmaster-builds.1')
      expect(read.stdout).toContain("--template <text>                Print one line per row, such as '{{id}} {{title}}'")
  }
  rmSync(folder, { recursive: true })
})
