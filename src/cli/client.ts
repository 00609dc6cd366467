#!/usr/bin/env node
import { answersAtOnce, isVersion, printVersion } from './at-once.ts'
import { refusesNode } from './oldest-node.ts'

/** The client alone: bundled into one file that runs with plain Node, without the service. */
const words = process.argv.slice(2)

async function start() {
  if (!(await answersAtOnce(words))) await (await import('./main.ts')).run(words)
}

if (isVersion(words)) printVersion()
else if (!refusesNode()) void start()
