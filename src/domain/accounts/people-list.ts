import { unreadablePeopleList } from '../../contract/errors.ts'

/** A person as a tool's own list of users has them. */
export interface ListedPerson {
  uid: string
  name: string
  email: string
}

/** Reads `p4 users`, `p4 -ztag users`, or a table with commas whose first line names the columns. */
export function readPeopleList(text: string): ListedPerson[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const first = lines.find((line) => line.trim() !== '')
  if (first === undefined) throw unreadablePeopleList(1, 'The list is empty.')
  if (first.startsWith('... ')) return readTagged(lines)
  if (USER_LINE.test(first.trim())) return readUserLines(lines)
  return readTable(lines)
}

const USER_LINE = /^(\S+) <([^>]*)> \((.*)\) accessed /

const readUserLines = (lines: readonly string[]): ListedPerson[] =>
  lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const found = USER_LINE.exec(line.trim())
    if (!found) throw unreadablePeopleList(index + 1, 'Expected: user <address> (name) accessed date')
    return { uid: found[1]!, email: found[2]!, name: found[3]! }
  })

function readTagged(lines: readonly string[]): ListedPerson[] {
  const people: ListedPerson[] = []
  for (const [index, line] of lines.entries()) {
    const [, tag, value] = /^\.\.\. (\w+) ?(.*)$/.exec(line) ?? []
    if (tag === 'User') people.push({ uid: value!, name: '', email: '' })
    const person = people.at(-1)
    if (tag === undefined ? line.trim() !== '' : !person) throw unreadablePeopleList(index + 1, 'Expected: ... User NAME')
    if (tag === 'Email') person!.email = value!
    if (tag === 'FullName') person!.name = value!
  }
  return people
}

const COLUMNS: Record<keyof ListedPerson, RegExp> = {
  uid: /^(user|username|user name|login|uid|id)$/i,
  email: /^(e-?mail|e-?mail address|address)$/i,
  name: /^(name|full ?name|display ?name|real ?name)$/i,
}

function readTable(lines: readonly string[]): ListedPerson[] {
  const start = lines.findIndex((line) => line.trim() !== '')
  const heads = cells(lines[start]!, start + 1)
  const at = (column: keyof ListedPerson) => heads.findIndex((head) => COLUMNS[column].test(head))
  const [uid, email, name] = [at('uid'), at('email'), at('name')]
  if (uid === -1 || (email === -1 && name === -1))
    throw unreadablePeopleList(
      start + 1,
      'Paste the output of p4 users, or a table with commas whose first line is: login,name,email',
    )
  return lines.slice(start + 1).flatMap((line, index) => {
    if (line.trim() === '') return []
    const row = cells(line, start + index + 2)
    if (row.length !== heads.length)
      throw unreadablePeopleList(start + index + 2, `Expected ${heads.length} values, found ${row.length}.`)
    return { uid: row[uid]!, email: row[email] ?? '', name: row[name] ?? '' }
  })
}

/** One line: a value with a comma or a quote in it is quoted, and its quotes are doubled. */
function cells(line: string, number: number): string[] {
  const found: string[] = []
  let rest = line
  for (;;) {
    const [all, quoted, plain] = /^\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(?=,|$)/.exec(rest) ?? []
    if (all === undefined) throw unreadablePeopleList(number, 'A quote is not closed.')
    found.push((quoted?.replaceAll('""', '"') ?? plain!).trim())
    if (all.length === rest.length) return found
    rest = rest.slice(all.length + 1)
  }
}
