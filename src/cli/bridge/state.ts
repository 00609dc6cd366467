import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The stored state of a bridge; undefined on the first run. */
export function readState<State>(file: string): State | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as State
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`Can't read the bridge state in ${file}: ${(error as Error).message}`)
  }
}

/** Atomic: a bridge that is killed here finds the old state or the new one. */
export function writeState(file: string, state: object) {
  writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { flush: true })
  renameSync(`${file}.new`, file)
}
