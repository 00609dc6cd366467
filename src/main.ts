#!/usr/bin/env node
import { answersAtOnce, isVersion, printVersion } from './cli/at-once.ts'
import { refusesNode } from './cli/oldest-node.ts'

/** The only file that imports everything. Modules are loaded on demand, so that the CLI starts fast. */
const words = process.argv.slice(2)
const operator = async (name: 'serve' | 'work' | 'migrate' | 'admin') =>
  (await import('./service/operate.ts')).operatorCommands[name]()

async function start() {
  if (await answersAtOnce(words)) return
  const { run } = await import('./cli/main.ts')
  await run(words, {
    serve: () => operator('serve'),
    work: () => operator('work'),
    migrate: () => operator('migrate'),
    admin: () => operator('admin'),
  })
}

// No `await` here: an older Node could not parse it.
if (isVersion(words)) printVersion()
else if (!refusesNode()) void start()
