import { type Layout, lineAt, rowsOf, topOf } from './layout.ts'

interface Props {
  layout: Layout
  errors: readonly number[]
  found: readonly number[]
  onLine(line: number): void
  /** The keyboard action. */
  onNext(): void
}

/** As many marks as can be distinguished. */
const PLACES = 400

/** The errors and search matches of a log on a scale. */
export const Minimap = ({ layout, errors, found, onLine, onNext }: Props) => (
  <button
    type="button"
    aria-label="Next error, by position in the log"
    title="Errors and search results, by position in the log"
    onClick={({ detail, nativeEvent, currentTarget }) =>
      detail === 0 ? onNext() : onLine(lineAt(layout, (nativeEvent.offsetY / currentTarget.clientHeight) * rowsOf(layout)))
    }
    className="relative w-3 shrink-0 border-l border-line bg-panel"
  >
    <svg
      aria-hidden="true"
      viewBox={`0 0 3 ${PLACES}`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full"
    >
      <path d={ticksOf(layout, found)} className="stroke-accent" strokeWidth="2" />
      <path d={ticksOf(layout, errors)} className="stroke-err" strokeWidth="3" />
    </svg>
  </button>
)

const ticksOf = (layout: Layout, lines: readonly number[]) => {
  const rows = Math.max(1, rowsOf(layout))
  const places = new Set(lines.map((line) => Math.round((topOf(layout, line) / rows) * PLACES)))
  return [...places].map((place) => `M0 ${place}H3`).join('')
}
