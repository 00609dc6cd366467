import { matcherOf } from '../branches/branch-names.ts'

/** Owners by path, as in a CODEOWNERS file of GitHub or GitLab. The last matching rule counts; one without owners removes them. */

export interface PathRule {
  /** As written. */
  pattern: string
  owners: string[]
}

interface Rule extends PathRule {
  matches: (path: readonly string[], anywhere: boolean) => boolean
}

/** A path in its folders. The root of an absolute path or of a name is unknown: a rule may match from any of its folders. */
interface Path {
  parts: readonly string[]
  anywhere: boolean
}

/** A failure: its file, and the names of its test. */
interface Failure {
  file: string | null
  names?: readonly string[]
}

/** Reads the rules once; the answer gives the last rule that matches the file of a failure or the names of its test. */
export function readRules(text: string): (failure: Failure) => PathRule | undefined {
  const rules = text.split(/\r?\n/).flatMap(ruleOf)
  return ({ file, names }) => {
    const paths = [...(file ? [pathOf(file)] : []), ...(names ? [nameOf(names)] : [])]
    return rules.findLast(({ matches }) => paths.some(({ parts, anywhere }) => matches(parts, anywhere)))
  }
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..')

function pathOf(file: string): Path {
  const path = file.toLowerCase().replaceAll('\\', '/')
  return { parts: partsOf(path), anywhere: /^(?:\/|[a-z]:|\.\.\/)/.test(path) }
}

/** `Project.Maps.Arena` is in `Project/Maps/`. */
const nameOf = (names: readonly string[]): Path => ({
  parts: partsOf(names.join('/').toLowerCase().replace(/::|\./g, '/')),
  anywhere: true,
})

function ruleOf(line: string): Rule[] {
  // A blank or a hash in a path is written after a backslash.
  const words = line.trim().match(/(?:\\.|[^\s\\])+/g) ?? []
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [written, ...owners] = comment === -1 ? words : words.slice(0, comment)
  // GitLab groups rules in sections.
  if (written === undefined || /^\^?\[/.test(written)) return []
  const pattern = written.replace(/\\(.)/g, '$1')
  return [{ pattern, owners, matches: matcher(pattern.toLowerCase()) }]
}

function matcher(pattern: string): Rule['matches'] {
  const isFolder = pattern.endsWith('/')
  const wanted = pattern.split('/').filter(Boolean)
  const isAnchored = pattern.slice(0, -1).includes('/')
  // The files of a folder, and not those of its folders.
  const isShallow = isAnchored && wanted.at(-1) === '*'
  const parts = wanted.map((part) => (part === '**' ? null : matcherOf(part)))
  return (path, anywhere) =>
    endsOf(isAnchored && !anywhere ? parts : [null, ...parts], path).some((end) =>
      isShallow ? end === path.length : isFolder ? end < path.length : true,
    )
}

/** Where the pattern may end in the path; null is any number of folders. Each part is tried once at each folder, so no pattern takes long. */
function endsOf(parts: readonly (((name: string) => boolean) | null)[], path: readonly string[]): number[] {
  let ends = [0]
  for (const part of parts)
    if (part !== null) ends = ends.filter((end) => end < path.length && part(path[end]!)).map((end) => end + 1)
    else if (ends[0] !== undefined) {
      const first = ends[0]
      ends = Array.from({ length: path.length + 1 - first }, (_, index) => first + index)
    }
  return ends
}
