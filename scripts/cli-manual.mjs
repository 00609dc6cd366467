// Writes docs/cli from the help of every command; run it with tsx after changing one.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildProgram } from '../src/cli/main.ts'
import { manual } from '../src/cli/program/manual.ts'
import { operatorCommands } from '../src/service/operate.ts'

const folder = fileURLToPath(new URL('../docs/cli/', import.meta.url))
const beside = Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()]))

mkdirSync(folder, { recursive: true })
for (const file of readdirSync(folder)) rmSync(`${folder}${file}`)
for (const [file, text] of manual(await buildProgram(beside))) writeFileSync(`${folder}${file}`, text)
