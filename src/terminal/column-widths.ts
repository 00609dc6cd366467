/** How a column behaves if there is not enough space. */
interface Sized {
  natural: number
  /** A cut id is useless. */
  fixed: boolean
  /** The main column: the others shrink first. */
  main: boolean
  /** May be dropped. */
  extra: boolean
}

const GAP = 2
/** A comfortable width of the main column, and the least that still distinguishes rows. */
const PLEASANT = 40
const LEAST_MAIN = 24
const SHORT = 12
const SHORTEST = 6

const total = (widths: readonly number[]) =>
  widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.filter((each) => each > 0).length - 1)

/**
 * The width of each column, zero for a dropped one. Optional columns are dropped before the main one gets uncomfortable, the last of them
 * first; then the widest of the others are cut.
 */
export function columnWidths(columns: readonly Sized[], room: number): number[] {
  const widths = columns.map(({ natural }) => natural)
  const pleasant = () => columns.map(({ main }, index) => (main ? Math.min(widths[index]!, PLEASANT) : widths[index]!))
  for (let at = columns.length - 1; at >= 0 && total(pleasant()) > room; at--) if (columns[at]!.extra) widths[at] = 0
  const narrow = (which: (column: Sized) => boolean, least: number) => {
    for (let over = total(widths) - room; over > 0; over--) {
      const widest = columns.reduce(
        (found, column, index) => (column.fixed || !which(column) || widths[index]! <= (widths[found] ?? least) ? found : index),
        -1,
      )
      if (widest === -1) return
      widths[widest]!--
    }
  }
  const isMain = ({ main }: Sized) => main
  const isOther = ({ main }: Sized) => !main
  narrow(isMain, PLEASANT)
  narrow(isOther, SHORT)
  narrow(isMain, LEAST_MAIN)
  narrow(isOther, SHORTEST)
  return widths
}
