import type { ChangedFile } from '../../facts.ts'
import { linesOf, text } from '../../reading.ts'

/** A line of a trigger's input, which names an item of a changeset. */
export interface Line extends ChangedFile {
  isFolder: boolean
  branch?: string
  /** `61@game`: its changeset and repository. */
  of?: string
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['AD', 'add'],
  ['CH', 'edit'],
  ['MV', 'move'],
  ['DE', 'delete'],
])

/** Null if the trigger reports no items. The list may be a text that contains it, or one line per item. */
export function linesIn(input: unknown): Line[] | null {
  const told = typeof input === 'string' ? listIn(input) : input
  if (!Array.isArray(told)) return null
  const lines: Line[] = []
  for (const item of told) {
    const line = text(item)
    const read = line === undefined ? undefined : lineOf(line)
    if (read) lines.push(read)
  }
  return lines
}

function listIn(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input.trim() === '' ? undefined : linesOf(input)
  }
}

const SPEC = /^#br:([^;]*);changeset:(\d{1,15})@rep:([^@]+)/

/** `AD "/Assets/Hero.fbx" FILE#br:/main/scm001;changeset:61@rep:game@repserver:host:8087`; a moved item may have both of its paths. */
function lineOf(line: string): Line | undefined {
  const action = ACTIONS.get(line.slice(0, 2))
  const [begin, end] = [line.indexOf('"'), line.lastIndexOf('"')]
  if (action === undefined || begin === -1 || end <= begin) return undefined
  const path = line
    .slice(begin + 1, end)
    .split('" "')
    .at(-1)!
  const rest = line.slice(end + 1).trim()
  const [kind = ''] = rest.split('#', 1)
  const [, branch, number, repository] = SPEC.exec(rest.slice(kind.length)) ?? []
  return {
    path: path.replace(/^\/+/, ''),
    action,
    isFolder: kind === 'DIR',
    ...(number !== undefined && { branch: branch!, of: `${number}@${repository}` }),
  }
}

/** Without folders. */
export const filesOf = (lines: readonly Line[]): ChangedFile[] =>
  lines.flatMap(({ path, action, isFolder }) => (isFolder || path === '' ? [] : [{ path, action }]))
