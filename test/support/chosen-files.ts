import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { BUILT, ROOT } from './built.ts'

/** The test files named on the command line. Undefined if the run is not limited to whole names of files. */
function chosenFiles(): string[] | undefined {
  const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-') && argument !== 'run')
  const files = filters.filter((filter) => filter.endsWith('.test.ts')).map((filter) => resolve(ROOT, filter))
  return files.length > 0 && files.every((file) => existsSync(file)) ? files : undefined
}

/** Whether one of the chosen test files runs the built program or opens the built web app. */
export function needBuild(): { program: boolean; web: boolean } {
  const files = chosenFiles()
  if (!files) return { program: true, web: true }
  // The set-up builds for others.
  const seen = new Set([join(ROOT, 'test/setup.ts')])
  for (const file of files) visit(file, seen)
  return { program: seen.has(BUILT), web: files.some((file) => /^test\/(?!truth)/.test(relative(ROOT, file))) }
}

/** Types are followed, too: a file more costs less than a parser. */
function visit(file: string, seen: Set<string>) {
  if (seen.has(file) || !existsSync(file)) return
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
    visit(join(dirname(file), path!), seen)
}
