import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { operatorCommands } from '../../operate.ts'
import { buildProgram } from '../main.ts'
import { manual } from './manual.ts'

const FOLDER = resolve('docs/cli')

const program = () =>
  buildProgram(Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()])))

test('the manual says what every command says of itself (npx tsx scripts/cli-manual.mjs writes it)', async () => {
  const written = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(resolve(FOLDER, file), 'utf8')]))
  expect([...written.keys()].sort()).toEqual([...manual(await program()).keys()].sort())
  for (const [file, text] of manual(await program())) expect(written.get(file), file).toBe(text)
})

test('every command of the client and of the operator shows how it is used', async () => {
  const operators = Object.keys(operatorCommands)
  for (const [file, text] of manual(await program())) {
    const first = file.replace(/[-.].*$/, '')
    if (file !== 'README.md' && (first === 'admin' || !operators.includes(first)) && first !== 'bridge')
      expect(text, file).toContain('\nExamples:\n  ')
  }
})
