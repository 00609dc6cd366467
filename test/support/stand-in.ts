import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder that is deleted after the test. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-scratch-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** An executable that stands in for a tool: a Node script with its arguments in `args`. */
export function standIn(folder: string, name: string, script: string): string {
  const path = join(folder, name)
  const head = `#!${process.execPath}\nconst args = process.argv.slice(2), fs = require('node:fs')\n`
  writeFileSync(path, head + script, { mode: 0o755 })
  return path
}
