// Writes the pages for `man goldmaster` and `man goldmaster-builds` into a folder. package.json lists them, so that npm links them where man finds them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { buildProgram } from '../src/cli/main.ts'
import { manPages } from '../src/cli/program/man-pages.ts'
import { INTRODUCTION } from '../src/cli/program/manual.ts'
import { operatorCommands } from '../src/service/operate.ts'

const folder = process.argv[2]
const beside = Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()]))
mkdirSync(folder, { recursive: true })
for (const [file, text] of manPages(await buildProgram(beside), INTRODUCTION)) writeFileSync(`${folder}/${file}`, text)
