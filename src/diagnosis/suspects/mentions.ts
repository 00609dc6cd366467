import { bareName, canonical, segmentsOf, stemOf } from './names.ts'
import type { Neighbourhood, Where } from './neighbourhood.ts'

/** A file, a class or a folder in the log. */
export interface Mention {
  kind: 'file' | 'class' | 'folder'
  text: string
  segments: string[]
  stem: string
  /** The line of the log to show, counted from 1, and its distance to the evidence. */
  line: number
  where: Where
  /** How often it occurs further away. */
  outside: number
}

type Add = (kind: Mention['kind'], text: string) => void

const LONGEST_LINE = 1000
const ESCAPES = /\x1b\[[0-9;]*[A-Za-z]/g
const TOKEN = /[\w@+.~\-/\\]{3,300}/g
const SCOPED = /\b[A-Z]\w{1,60}(?:::[A-Z]\w{1,60}){1,9}/g
/** `Game.Harbour` is a name with a dot: extensions are not capitalized. */
const FILE = /^[\w@+\-.~]{1,120}\.(?:[a-z][A-Za-z0-9_]{0,11}|[A-Z][A-Z0-9]{0,11})$/
const FILE_WITHOUT_EXTENSION = /^(?:Makefile|Dockerfile|Jenkinsfile|Rakefile|Cakefile|Gemfile|Podfile|Cartfile|Vagrantfile)$/
const DOTTED = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/
const CAMEL = /^[A-Z][a-z0-9]+[A-Z]\w*$/
const TEST_NAME = /^(?:test_\w{3,}|\w{3,}_(?:test|spec))$/
/** Installed by a package manager or part of the machine: never a change, whatever its name. */
const INSTALLED =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|gems|rubies|\.rvm|\.rbenv|\.cargo|\.rustup|\.m2|\.gradle|\.cabal|\.stack|PackageCache|Xcode\.app|DerivedData)[/\\]|^\/(?:usr|opt|lib|etc|proc|dev)\//
/** These lines name the newest change, whether it is the cause or not. */
const CHECKOUT = /\bgit\s+(?:clone|fetch|checkout|pull|show|log)\b|HEAD is now at|Commit message|Checking out/i

/** A line without colors, or empty if it reports a checkout. */
export function readable(line: string): string {
  const text = (line.includes('\x1b') ? line.replace(ESCAPES, '') : line).slice(0, LONGEST_LINE)
  return CHECKOUT.test(text) ? '' : text
}

/** Names in and around the evidence, in order of importance, and files elsewhere in the log. */
export function mentionsIn(log: readonly string[], around: Neighbourhood): Mention[] {
  const found = new Map<string, Mention>()
  const byToken = new Map<string, Mention[]>()
  const adder =
    (line: number, added?: Mention[]): Add =>
    (kind, text) => {
      const mention = found.get(kind + text) ?? mentionOf(kind, text, line, around.whereOf(text, line))
      found.set(kind + text, mention)
      added?.push(mention)
    }
  for (const line of around.lines) {
    const text = readable(log[line - 1] ?? '')
    for (const token of tokensOf(text)) {
      const added: Mention[] = []
      readToken(token, adder(line, added))
      byToken.set(token, added)
    }
    if (text.includes('::')) for (const [name] of text.matchAll(SCOPED)) adder(line)('class', name.replaceAll('::', '/'))
  }
  log.forEach((raw, index) => {
    if (around.where(index + 1) !== 'elsewhere') return
    for (const token of tokensOf(readable(raw))) {
      let known = byToken.get(token)
      if (!known && token.includes('.')) {
        known = []
        const add = adder(index + 1, known)
        readToken(token, (kind, text) => kind === 'file' && add(kind, text))
        byToken.set(token, known)
      }
      for (const mention of known ?? []) mention.outside++
    }
  })
  return [...found.values()]
}

function mentionOf(kind: Mention['kind'], text: string, line: number, where: Where): Mention {
  const segments = segmentsOf(text)
  const base = segments.at(-1) ?? ''
  return {
    kind,
    text,
    segments: segments.map(canonical),
    stem: stemOf(kind === 'file' ? bareName(base) : base),
    line,
    where,
    outside: 0,
  }
}

function tokensOf(text: string): string[] {
  const tokens = text.match(TOKEN) ?? []
  return text.includes('://') ? tokens.filter((token) => !token.startsWith('//')) : tokens
}

function readToken(token: string, add: Add) {
  let end = token.length
  while (end > 0 && '.-/\\~'.includes(token[end - 1]!)) end--
  const text = token.slice(0, end)
  if (text.length < 3) return
  const slash = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'))
  const base = text.slice(slash + 1)
  const isFile = FILE.test(base) || FILE_WITHOUT_EXTENSION.test(base)
  if (slash < 0) {
    // Jenkins reports errors of a Jenkinsfile under this name.
    if (text === 'WorkflowScript') add('file', 'Jenkinsfile')
    if (isFile) add('file', text)
    if (DOTTED.test(text)) readDotted(text.split('.'), add)
    else if (CAMEL.test(text) || TEST_NAME.test(text)) add('class', text)
  } else if (text.startsWith('/Game/')) add('class', `Content/${text.slice(6).replace(/\.\w+$/, '')}`)
  else if (!INSTALLED.test(text)) add(isFile ? 'file' : 'folder', text)
}

/** `a.b.C.method` is the class `a/b/C`; `tests.test_login.LoginTest` is also the module `tests/test_login`. */
function readDotted(parts: string[], add: Add) {
  let end = parts.length
  while (end > 1 && /^[a-z]/.test(parts[end - 1]!) && !TEST_NAME.test(parts[end - 1]!)) end--
  if (end < 2) return
  add('class', parts.slice(0, end).join('/'))
  if (end > 2 && TEST_NAME.test(parts[end - 2]!)) add('class', parts.slice(0, end - 1).join('/'))
}
