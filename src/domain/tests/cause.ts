const CAUSE_MAX = 200

/** The first line of a message without what differs between cases that fail for one reason: numbers, addresses, paths and quoted texts. */
export function causeOf(message: string): string {
  const line = message.split('\n').find((each) => each.trim() !== '') ?? ''
  return line
    .slice(0, 4 * CAUSE_MAX)
    .replace(/0x[0-9a-f]+/gi, '#')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/(?:[A-Za-z]:)?(?:[\w.+-]*[\\/])+[\w.+-]+/g, '…')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, '#')
    .replace(/-?\d+(?:[.,]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, CAUSE_MAX)
}
