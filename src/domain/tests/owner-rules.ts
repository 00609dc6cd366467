import { matcherOf } from '../branches/branch-names.ts'

/** Owners by path, as in a CODEOWNERS file of GitHub or GitLab. The last matching rule counts; one without owners removes them. */

interface Rule {
  matches: (path: readonly string[], anywhere: boolean) => boolean
  owners: string[]
}

/** A path in its folders. The root of an absolute path or of a name is unknown: a rule may match from any of its folders. */
interface Path {
  parts: readonly string[]
  anywhere: boolean
}

/** Reads the rules once; the answer gives the owners of a test by the file of its failure and its names. */
export function ownersBy(text: string): (test: { file: string | null; names: readonly string[] }) => string[] {
  const rules = text.split(/\r?\n/).flatMap(ruleOf)
  return ({ file, names }) => {
    const paths = [...(file ? [pathOf(file)] : []), nameOf(names)]
    return rules.findLast(({ matches }) => paths.some(({ parts, anywhere }) => matches(parts, anywhere)))?.owners ?? []
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
  return [{ matches: matcher(written.replace(/\\(.)/g, '$1').toLowerCase()), owners }]
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
