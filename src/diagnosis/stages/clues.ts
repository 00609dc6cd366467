import type { Clues, FileMention } from '../finding.ts'
import { type Log, plainAt } from '../log.ts'
import type { Verdict } from './classify.ts'

/** Starts only where no earlier path could continue: a long run of such characters is read once, not from each of them. */
const PATH =
  /(?:(?<![A-Za-z])[A-Za-z]:[\\/]|(?<![\w@+~-]\.?|[\w@+.~-][\\/](?!\/)|\.(?=[./]))(?:\.{0,2}\/|~\/)?)(?:[\w@+.~-]+[\\/])*[\w@+~-]+(?:\.[\w+~-]+)*\.[A-Za-z]\w{0,11}(?::(?<line>\d{1,7})|\((?<paren>\d{1,7})|", line (?<word>\d{1,7}))?/g
const FRAME = /^\s*(?:at |from |File "|#\d+ |\.{3}|in )|^\s+[\w./-]+:\d+:in\b|\(\w+\.\w+:\d+\)\s*$/
const TRACEBACK = /Traceback \(most recent call last\)/
const INCLUDE = /^(?:In file included from|\s+from )/
const QUOTED = /[`'"‘“«]([A-Za-z_$][\w$:.~-]{2,80})['"`’”»]/g
const CODE = /\b(?:[A-Z]{1,4}\d{3,5}|E\d{4}|TS\d{4})\b/g
const NEARBY = 10
const URL = /\b(?:https?|ftp|git|ssh):\/\/\S+/g
/** Paths are near the beginning of a line; the rest of a very long one is data. */
const READ = 500
const LINES_MAX = 80
/** A bare name with a dot is a file only with one of these extensions; `os.path` and `hero.hits` are not. */
const ENDINGS =
  /^(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|cs|fs|vb|java|kt|kts|scala|sc|groovy|gradle|clj[cs]?|go|rs|py|pyi?|rb|php|phpt|pl|pm|t|lua|r|rmd|jl|hs|lhs|elm|purs|ml|mli|erl|hrl|exs?|js|jsx|mjs|cjs|ts|tsx|vue|coffee|css|scss|less|html?|md|rst|tex|txt|ya?ml|json|toml|xml|ini|cfg|cmake|mk|sh|bash|zsh|ps1|psm1|bat|cmd|sql|proto|usf|ush|hlsl|glsl|frag|vert|shader|cginc|compute|metal|uasset|umap|uplugin|uproject|asmdef|asmref|unity|prefab|asset|mat|fbx|obj|meta|csproj|vcxproj|sln|pbxproj|plist|dart|nim|zig|d|f90|gd|tscn|tcl|vim|el)$/i

const pathsOf = (log: Log, index: number) => {
  const plain = plainAt(log, index)
  const text = plain?.text ?? log.text[index]!
  const found: { path: string; line: number | null }[] = []
  for (const each of text.slice(0, READ).replace(URL, ' ').matchAll(PATH)) {
    const path = each[0].replace(/(?::\d+|\(\d+|", line \d+)$/, '')
    const extension = path.slice(path.lastIndexOf('.') + 1)
    if (!/[\\/]/.test(path) && !ENDINGS.test(extension)) continue
    const line = each.groups?.line ?? each.groups?.paren ?? each.groups?.word
    found.push({ path: plain?.restore(path) ?? path, line: line ? Number(line) : null })
  }
  return found
}

function filesOf(log: Log, verdict: Verdict): FileMention[] {
  const files: FileMention[] = []
  const seen = new Set<string>()
  const depth = { primary: 0, evidence: 0, frame: 0, include: 0, nearby: 0 }
  const add = (path: string, line: number | null, role: FileMention['role']) => {
    if (seen.has(path)) return
    seen.add(path)
    files.push({ path, line, role, depth: depth[role]++ })
  }
  const groups = verdict.hit?.groups
  if (groups?.file) add(groups.file.trim(), groups.line ? Number(groups.line) : null, 'primary')
  const addAll = (index: number, role: FileMention['role']) => {
    const text = log.text[index]!
    const kind = INCLUDE.test(text) ? 'include' : FRAME.test(text) && index !== verdict.lead ? 'frame' : role
    for (const each of pathsOf(log, index)) add(each.path, each.line, kind)
  }
  if (verdict.lead !== null) addAll(verdict.lead, 'evidence')
  const evidence = verdict.lines.slice(0, LINES_MAX)
  // Python prints the innermost frame last, everybody else first.
  if (evidence.some((index) => TRACEBACK.test(log.text[index]!))) evidence.reverse()
  for (const index of evidence) addAll(index, 'evidence')
  const first = verdict.lines[0]
  const last = verdict.lines.at(-1)
  if (first !== undefined && last !== undefined) {
    for (let i = Math.max(0, first - NEARBY); i < first; i++) addAll(i, 'nearby')
    for (let i = last + 1; i <= Math.min(log.text.length - 1, last + NEARBY); i++) addAll(i, 'nearby')
  }
  return files
}

const WORDS_MAX = 40

/** The names in and around the evidence. */
export function cluesOf(log: Log, verdict: Verdict): Clues {
  const symbols = new Set<string>()
  const tests = new Set<string>()
  if (verdict.hit?.groups.test) tests.add(verdict.hit.groups.test.trim())
  for (const index of verdict.lines.slice(0, LINES_MAX)) {
    if (symbols.size >= WORDS_MAX) break
    const text = log.text[index]!
    for (const each of text.matchAll(QUOTED)) symbols.add(each[1]!)
    for (const each of text.matchAll(CODE)) symbols.add(each[0])
  }
  return {
    rule: verdict.hit?.rule.id ?? 'unknown',
    tool: verdict.hit?.rule.tool ?? '',
    message: verdict.lead === null ? '' : log.text[verdict.lead]!.trim(),
    files: filesOf(log, verdict),
    symbols: [...symbols].slice(0, WORDS_MAX),
    tests: [...tests],
  }
}
