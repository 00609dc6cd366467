/** A number that a log prints about its build. */
export interface LogMeasure {
  name: string
  unit: string
  value: number
  /** The platform as the log names it. */
  platform: string | null
  /** The part that is measured, if not the whole: a pak file, a category, a map. */
  part: string | null
}

/** What earlier lines said. Readers of one tool keep their own state under a key of their own. */
export interface LogContext {
  platform: string | null
  /** The last pak file that was named. */
  pak: string | null
  /** The last heading of Unreal's cook statistics. */
  group: string
  /** The table or block that the line belongs to. */
  block: '' | 'containers' | 'unity-sizes'
  /** The variant of an Xcode size report. */
  variant: string | null
}

/** Measures by name, platform and part. A number that is not finite or below zero is not a measure. */
export class MeasureList {
  readonly #found = new Map<string, LogMeasure>()

  /** A later line replaces an earlier one. */
  set(name: string, unit: string, value: number, { platform = null, part = null }: Partial<LogMeasure> = {}) {
    if (!Number.isFinite(value) || value < 0) return
    this.#found.set(JSON.stringify([name, platform, part]), { name, unit, value, platform, part })
  }

  /** Lines of the same name are summed. */
  add(name: string, unit: string, value: number, where: Partial<LogMeasure> = {}) {
    const { platform = null, part = null } = where
    const before = this.#found.get(JSON.stringify([name, platform, part]))?.value ?? 0
    // Seconds with three digits stay seconds with three digits.
    this.set(name, unit, Math.round((before + value) * 1e6) / 1e6, where)
  }

  has = (name: string, { platform = null, part = null }: Partial<LogMeasure> = {}) =>
    this.#found.has(JSON.stringify([name, platform, part]))

  list = (): LogMeasure[] => [...this.#found.values()]
}

/** Reads one line without its prefixes. Most lines have none of its literals and cost a search each. */
export interface LineReader {
  /** A text that every line it reads contains. */
  literal: string
  read(line: string, measures: MeasureList, context: LogContext): void
}
