import type { Finding } from '../finding.ts'

export type Where = 'evidence' | 'near' | 'elsewhere'

/** Names are runs of these characters. */
const BEFORE_TOKEN = /^.*[^\w@+.~\-/\\]/

const NEAR = 10
const MOST_EVIDENCE = 200

/** The important lines of a log, and the distance of other lines to them. Lines count from 1. */
export class Neighbourhood {
  readonly #where = new Map<number, Where>()

  /** Files of the failure that are next to the evidence, as printed after the last character that no name contains. */
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

  /** The evidence in its own order, then the lines near it. */
  get lines(): number[] {
    return [...this.#where.keys()]
  }
}
