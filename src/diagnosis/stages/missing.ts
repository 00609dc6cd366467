/** Messages about something missing; the first group is its name. */
const MISSING: readonly RegExp[] = [
  /\bNo module named ['"]?([\w.]{1,100})/,
  /\bCannot find (?:module|package) ['"]([^'"]{1,200})['"]/,
  /\bCan't resolve '([^']{1,200})'/,
  /\bcannot find -l(\S{1,100})/,
  /\bCould not find definition for module '([^']{1,100})'/,
  /\bUnable to find (?:plugin|module) '([^']{1,100})'/,
  /\bmodule '([^']{1,100})' could not be found/,
  /\bprovided by "([^"]{1,100})" with any of/,
  /\bCannot open include file: '([^']{1,200})'/,
  /\bfatal error: (\S{1,200}): No such file or directory/,
  /\bfatal error: '([^']{1,200})' file not found/,
  /\b(?:no required module provides|cannot find module providing) package ([^\s;:]{1,200})/,
  /\bcannot load such file -- (\S{1,200})/,
  /\berror: package ([\w.]{1,200}) does not exist/,
]

/** What is missing according to a line. */
export function missingIn(line: string): string | null {
  for (const pattern of MISSING) {
    const name = pattern.exec(line)?.[1]
    if (name) return name
  }
  return null
}
