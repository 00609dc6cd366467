#!/usr/bin/env node
import { refusesNode } from './cli/oldest-node.ts'
import { VERSION } from './contract/version.ts'

/** The only file that imports everything. Modules are loaded on demand, so that the CLI starts fast. */
const words = process.argv.slice(2)
const operator = async (name: 'serve' | 'work' | 'migrate' | 'admin') => (await import('./operate.ts')).operatorCommands[name]()

async function start() {
  const { run } = await import('./cli/main.ts')
  await run(words, {
    serve: () => operator('serve'),
    work: () => operator('work'),
    migrate: () => operator('migrate'),
    admin: () => operator('admin'),
  })
}

// No `await` here: an older Node could not parse it.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) console.log(VERSION)
else if (!refusesNode()) void start()
