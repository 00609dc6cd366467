import type { Breakage } from '../health-shapes.ts'

/** The title of a breakage: the failing test, otherwise its evidence line without log prefixes, otherwise its cause. */
export function titleOf({ evidence, cause, jobs }: Pick<Breakage, 'evidence' | 'cause' | 'jobs'>): string {
  const line = firstLine(evidence[0]?.text ?? '')
  return testTitle(line) ?? (shortTitle(line) || shortTitle(cause) || `${jobs.join(', ')} failed`)
}

/** The first line, without log prefixes and folders. */
export const shortTitle = (text: string) => withoutFolders(withoutPrefixes(firstLine(text))).replace(BUILT, '')

const firstLine = (text: string) => text.trim().split('\n', 1)[0]!.trimEnd()

/** Times, build nodes and loggers: they change with every run and don't belong in a title. */
const PREFIX_SHAPES = [
  /\[?\d{4}[-.]\d\d[-.]\d\d[T -]\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?/,
  /\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?:?/,
  /\[ *\d+\](?=\S)/,
  /(?:UATHelper|MainFrameActions): [^:]{0,60}:/,
  /PackagingResults:/,
  /Log\w{1,40}: (?:(?:Error|Warning|Display|Fatal): )?/,
  /##\[error\]|::error(?: [^:]{0,300})?::/,
  /\[exec\] |\d{1,3}>(?=[^\s>])|#\d{1,3} \d+\.\d+ /,
]
const PREFIX = new RegExp(`^(?:${PREFIX_SHAPES.map(({ source }) => source).join('|')})\\s*`)
const PREFIXES_MAX = 8

function withoutPrefixes(line: string): string {
  let rest = line
  for (let i = 0; i < PREFIXES_MAX; i++) {
    const shorter = rest.replace(PREFIX, '')
    if (shorter === rest || shorter === '') break
    rest = shorter
  }
  return rest
}

/** How test runners report a failed test. */
const TESTS = [
  /^Test Completed\. Result=\{?Fail(?:ed)?\}? Name=\{[^}]*\} Path=\{(?<test>[^}]+)\}/,
  /^\[ {1,4}FAILED {1,4}\] (?<test>[\w./:<>-]+)(?:,.*| \(\d+ ms\))?$/,
  /^FAILED (?<test>\S+::\S+)(?: - (?<why>.+))?$/,
  /^--- FAIL: (?<test>\S+)/,
  /^test (?<test>\S+) \.\.\. FAILED$/,
  /^\s*(?:\d+\) )?Failed\s*:?\s+(?<test>[\w]+(?:\.[\w(),"']+)+)(?: \[[^\]]*\])?$/,
  /^\s*\d+ - (?<test>\S+) \(Failed\)$/,
]

function testTitle(line: string): string | undefined {
  const said = withoutPrefixes(line)
  for (const pattern of TESTS) {
    const { test, why } = pattern.exec(said)?.groups ?? {}
    if (test) return `${test} failed${why ? `: ${why}` : ''}`
  }
  return undefined
}

/** MSBuild appends the project to each message. */
const BUILT = / \[[^[\]]{1,300}\.\w{2,12}proj\]$/

/** The file at the start of a compiler message; the path of a workspace may contain spaces. */
const LEADING = /^(?:[A-Za-z]:)?[\\/][^:"'()<>|]{0,400}[\\/](?=[^\\/:"'()<>|]{1,200}(?:\(\d|:\d))/
/** From the root, two or more deep; addresses are left as they are. */
const FOLDERS = /(?<![\w:/\\])(?:[A-Za-z]:)?[\\/](?:[^\\/\s:"'()]+[\\/]){2,}/g
const withoutFolders = (line: string) => line.replace(LEADING, '').replace(FOLDERS, '')
