import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own that goes away with the test. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-scratch-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** An executable that stands in for a tool: a Node script, `args` being what it was called with. */
export function standIn(folder: string, name: string, script: string): string {
  const path = join(folder, name)
  const head = `#!${process.execPath}\nconst args = process.argv.slice(2), fs = require('node:fs')\n`
  writeFileSync(path, head + script, { mode: 0o755 })
  return path
}
