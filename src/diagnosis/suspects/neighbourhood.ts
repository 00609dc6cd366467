import type { Finding } from '../finding.ts'

export type Where = 'evidence' | 'near' | 'elsewhere'

/** Names are read off a log in runs of these characters. */
const BEFORE_TOKEN = /^.*[^\w@+.~\-/\\]/

const NEAR = 10
const MOST_EVIDENCE = 200

/** Which lines of a log matter, and how near to them any other line stands. Lines count from 1. */
export class Neighbourhood {
  readonly #where = new Map<number, Where>()

  /** Files the failure is about though they stand beside the evidence, as printed behind the last character that no name has. */
  readonly #files: ReadonlySet<string>

  constructor({ evidence, file_path, clues }: Finding) {
    const files = [file_path ?? '', ...clues.files.filter(({ role }) => role !== 'nearby').map(({ path }) => path)]
    this.#files = new Set(files.map((path) => path.replace(BEFORE_TOKEN, '')))
    const lines = evidence.slice(0, MOST_EVIDENCE).map(({ line }) => line)
    for (const line of lines) this.#where.set(line, 'evidence')
    for (const line of lines) {
      for (let step = 1; step <= NEAR; step++) {
        for (const beside of [line - step, line + step]) if (!this.#where.has(beside)) this.#where.set(beside, 'near')
      }
    }
  }

  where(line: number): Where {
    return this.#where.get(line) ?? 'elsewhere'
  }

  whereOf(name: string, line: number): Where {
    const where = this.where(line)
    return this.#files.has(name) ? 'evidence' : where
  }

  /** The evidence in its own order, then what stands near it. */
  get lines(): number[] {
    return [...this.#where.keys()]
  }
}
