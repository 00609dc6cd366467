import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Lists skipped tests with the reason at the end of a run, and writes their files to SKIPPED_FILES, for a second run with all programs.
 * Files with a failed test go to FAILED_FILES, for a second run by themselves.
 */
export default class SecondRunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = new Map<string, Map<string, number>>()
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const why = /\[([^\]]* not (?:installed|reachable|set))\]/.exec(test.fullName)?.[1] ?? ELSEWHERE
        const files = skipped.get(why) ?? new Map<string, number>()
        const file = relative(process.cwd(), module.moduleId)
        skipped.set(why, files.set(file, (files.get(file) ?? 0) + 1))
      }
    for (const [why, files] of skipped) {
      console.log(`\nSkipped, ${why}:`)
      for (const [file, count] of files) console.log(`  ${file} (${count})`)
    }
    write(
      process.env.SKIPPED_FILES,
      [...skipped].flatMap(([why, files]) => (MISSING.test(why) ? [...files.keys()] : [])),
    )
    write(
      process.env.FAILED_FILES,
      modules.filter((module) => !module.ok()).map((module) => relative(process.cwd(), module.moduleId)),
    )
  }
}

/** A second run may have what was missing in the first. */
const MISSING = / not (?:installed|reachable)$/
/** The title of the test does not say why. */
const ELSEWHERE = 'not selected, or not for this platform or user'

function write(path: string | undefined, files: string[]) {
  if (path) writeFileSync(path, [...new Set(files)].map((file) => `${file}\n`).join(''))
}
