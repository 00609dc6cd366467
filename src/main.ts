#!/usr/bin/env node
import { VERSION } from './contract/version.ts'

/** The only file that knows every room. What is not asked for is not loaded, so that the command line starts fast. */
const words = process.argv.slice(2)
const operator = async (name: 'serve' | 'work' | 'migrate' | 'admin') => (await import('./operate.ts')).operatorCommands[name]()

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) console.log(VERSION)
else
  await (await import('./cli/main.ts')).run(words, {
    serve: () => operator('serve'),
    work: () => operator('work'),
    migrate: () => operator('migrate'),
    admin: () => operator('admin'),
  })
