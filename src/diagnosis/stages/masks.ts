const GUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi
const TEMPORARY = /(?:\/(?:tmp|temp|var\/folders)\/|\\(?:Temp|tmp)\\)[^\s'"]*/gi
const HEX = /\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b/gi
const NUMBERS = /\d+/g

/** The line without everything that changes from run to run. */
const mask = (text: string) => text.trim().replace(TEMPORARY, '~').replace(GUID, '#').replace(HEX, '#').replace(NUMBERS, '0')

/** From a root, one folder or more deep. */
const ABSOLUTE = /(?<![\w./\\:])(?:[A-Za-z]:)?[\\/](?:[^\\/\s:"'`()<>|,;*?]+[\\/])+[^\\/\s:"'`()<>|,;*?]*/g

/** The last folder and the name: the location of a checkout, and its notation, differ from machine to machine. */
export const withoutRoot = (path: string) =>
  path
    .split(/[\\/]+/)
    .slice(-2)
    .join('/')
    .toLowerCase()

/** Identifies a failure on another machine and another day. */
export const signatureOf = (message: string) => mask(message.replace(ABSOLUTE, withoutRoot))

/** A short hash of a text; not for secrets. Two 32-bit FNV-1a halves make collisions unlikely. */
export function shortHash(text: string): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    a = Math.imul(a ^ char, 0x01000193)
    b = Math.imul(b ^ char, 0x85ebca6b)
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36)
}

/** The stored hash of a line: 48 bits, so that even a set of a hundred thousand has practically no false positives. */
export function lineHash(text: string): number {
  const line = signatureOf(text.replace(TEMPORARY, '~'))
  let a = 0x811c9dc5
  let b = 0x01000193
  for (let i = 0; i < line.length; i++) {
    const char = line.charCodeAt(i)
    a = Math.imul(a ^ char, 0x01000193)
    b = Math.imul(b ^ char, 0x85ebca6b)
  }
  return (a >>> 0) * 0x10000 + (b >>> 16)
}
