import { describe, test } from 'vitest'
import { CHROMIUM, pathTo } from './programs.ts'

const isHere = (program: string) => (program === 'chromium' ? CHROMIUM : pathTo(program)) !== undefined

const named = (programs: readonly string[]) => {
  const missing = programs.filter((program) => !isHere(program))
  return { isComplete: missing.length === 0, because: `[${missing.join(', ')} not installed]` }
}

/** A suite that needs programs besides Node. It is skipped if one is missing, and its title says why (`second-run-reporter.ts`). */
export function describeWith(...programs: string[]) {
  const { isComplete, because } = named(programs)
  return (name: string, work: () => void) => (isComplete ? describe(name, work) : describe.skip(`${name} ${because}`, work))
}

export function testWith(...programs: string[]) {
  const { isComplete, because } = named(programs)
  return (name: string, work: () => void | Promise<void>) =>
    isComplete ? test(name, work) : test.skip(`${name} ${because}`, work)
}
