export interface OutputOptions {
  json?: boolean
}

const write = (text: string) => {
  process.stdout.write(`${text}\n`)
}

export const printJson = (value: unknown) => write(JSON.stringify(value))

/** One thing: a line for each field, or a JSON object. */
export function printOne(row: object, { json }: OutputOptions) {
  if (json) return printJson(row)
  const fields = Object.entries(row)
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) write(`${name.padEnd(width)}  ${cell(value)}`)
}

/** Many: a line each under a heading, columns aligned, or a JSON array with every field. */
export function printMany<Row extends object>(rows: Row[], columns: (keyof Row & string)[], { json }: OutputOptions) {
  if (json) return printJson(rows)
  const lines = [columns as string[], ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)))
  for (const line of lines)
    write(
      line
        .map((text, index) => text.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ')
  // A name may hold anything; the terminal gets no control characters from it.
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
