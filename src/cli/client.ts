#!/usr/bin/env node
import { VERSION } from '../contract/version.ts'
import { refusesNode } from './oldest-node.ts'

/** The client alone: bundled into one file that runs with plain Node, without the service. */
const words = process.argv.slice(2)

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) console.log(VERSION)
else if (!refusesNode()) void import('./main.ts').then(({ run }) => run(words))
