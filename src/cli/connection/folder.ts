import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../../terminal/failures.ts'

const NAME = '.goldmaster'

/** The project of a folder and everything below it. */
export interface Chosen {
  project: string
  host: string
}

/** Searches upwards from a folder for the file with its project. */
export function chosenFor(folder: string): (Chosen & { file: string }) | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, NAME)
    const text = contentOf(file)
    if (text !== undefined) return { ...readChosen(text, file), file }
    if (dirname(at) === at) return undefined
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function readChosen(text: string, file: string): Chosen {
  try {
    const { project, host } = JSON.parse(text)
    if (/^\d{1,10}$/.test(project) && typeof host === 'string') return { project, host }
  } catch {}
  throw new Failure(`${file} has no project. Choose one again: goldmaster use PROJECT`)
}

export function choose(folder: string, chosen: Chosen): string {
  const file = join(folder, NAME)
  writeFileSync(file, `${JSON.stringify(chosen)}\n`)
  return file
}
