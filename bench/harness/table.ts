type Cell = string | number

/** Aligned columns: text to the left, figures to the right. */
export function printTable(title: string, head: string[], rows: Cell[][]) {
  const lines = [head, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)))
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const isFigure = head.map((_, column) => rows.some((row) => typeof row[column] === 'number'))
  console.log(`\n${title}`)
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => (isFigure[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
}

const figure = (value: number) => (Number.isNaN(value) ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(2))

export const verdict = (held: boolean) => (held ? 'ok' : 'MISSED')
