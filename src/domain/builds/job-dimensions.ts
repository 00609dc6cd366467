import {
  buildPlatformOf,
  CONFIGURATION_NAMES,
  configurationOf,
  PLATFORM_NAMES,
} from '../../contract/spellings/build-dimensions.ts'
import type { LogTarget } from '../../measures/read-target.ts'
import { matcherOf } from '../branches/branch-names.ts'

/** Platform and configuration of a build. Null: unknown, or two sources disagree. */
interface Dimensions {
  platform: string | null
  configuration: string | null
}

/** A project's own rule: jobs whose name matches have this platform, configuration or both. A star matches any text. */
export interface JobPattern {
  pattern: string
  platform?: string
  configuration?: string
}

interface Built {
  job: string
  branch: string
  patterns: readonly JobPattern[]
  /** What the log names, once it was read. */
  log?: LogTarget
}

/**
 * The dimensions of a build whose report has none. A project's pattern counts first. Otherwise the words of the job's name and the log
 * count, unless they contradict each other: then the dimension is unknown.
 */
export function inferDimensions({ job, branch, patterns, log }: Built): Dimensions {
  const matching = patterns.filter(({ pattern }) => matcherOf(pattern.toLowerCase())(job.toLowerCase()))
  const own = (dimension: keyof Dimensions) => matching.find((pattern) => pattern[dimension])?.[dimension]
  const [platform, configuration] = [own('platform'), own('configuration')]
  const words = wordsOf(withoutBranch(job, branch))
  return {
    platform: platform ? buildPlatformOf(platform) : onlyOne([...platformsIn(words), ...known(PLATFORM_NAMES, log?.platforms)]),
    configuration: configuration
      ? configurationOf(configuration)
      : onlyOne([...configurationsIn(words), ...known(CONFIGURATION_NAMES, log?.configurations)]),
  }
}

/** The value that all sources agree on. */
function onlyOne(values: readonly string[]): string | null {
  const [value, ...others] = new Set(values)
  return value === undefined || others.length > 0 ? null : value
}

/** Other tools have options with the same names: only known values count. */
const known = (names: ReadonlyMap<string, string>, values: readonly string[] = []) =>
  values.flatMap((value) => names.get(value.toLowerCase()) ?? [])

/** A job of a multibranch pipeline ends with its branch: `Game/development` is not a configuration. */
const withoutBranch = (job: string, branch: string) => {
  const last = branch.split('/').at(-1) ?? ''
  if (last === '') return job
  return job
    .split('/')
    .filter((part) => part !== last && part !== encodeURIComponent(branch))
    .join('/')
}

/** `GameWin64_Shipping` has the words game, win64 and shipping. Long names are cut: nobody writes a platform that late. */
const wordsOf = (job: string): string[] =>
  job
    .slice(0, 300)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

/** Words of one name at most: `xbox series x s`. */
const NAME_WORDS = 4

/** The known names in these words, the longest first: `xbox series x` is not also another name. */
function namesIn(words: readonly string[], names: ReadonlyMap<string, string>): { name: string; next: string | undefined }[] {
  const found: { name: string; next: string | undefined }[] = []
  for (let at = 0; at < words.length; ) {
    let length = Math.min(NAME_WORDS, words.length - at)
    while (length > 0 && !names.has(words.slice(at, at + length).join(''))) length--
    if (length > 0) found.push({ name: names.get(words.slice(at, at + length).join(''))!, next: words[at + length] })
    at += Math.max(1, length)
  }
  return found
}

/** Words that also mean something else in the name of a job. */
const AMBIGUOUS_PLATFORMS = new Set(['web', 'nx', 'pc'])
/** "Win64 Test" usually runs tests, and "Dev" is a branch as often as a configuration. */
const AMBIGUOUS_CONFIGURATIONS = new Set(['test', 'dev', 'ship'])
/** "Upload debug symbols" builds no debug configuration. */
const AFTER_DEBUG = new Set(['symbols', 'symbol', 'info'])

const keyed = (names: ReadonlyMap<string, string>, ambiguous: ReadonlySet<string>) =>
  new Map([...names].filter(([alias]) => !ambiguous.has(alias)).map(([alias, name]) => [alias.replace(/[^a-z0-9]/g, ''), name]))

const JOB_PLATFORMS = keyed(PLATFORM_NAMES, AMBIGUOUS_PLATFORMS)
// Unreal's targets: a server for Linux is a build for Linux.
for (const [host, platform] of [
  ['windows', 'Win64'],
  ['win64', 'Win64'],
  ['linux', 'Linux'],
  ['mac', 'Mac'],
] as const)
  for (const target of ['editor', 'server', 'client', 'game']) JOB_PLATFORMS.set(`${host}${target}`, platform)

const JOB_CONFIGURATIONS = keyed(CONFIGURATION_NAMES, AMBIGUOUS_CONFIGURATIONS)

const platformsIn = (words: readonly string[]) => namesIn(words, JOB_PLATFORMS).map(({ name }) => name)

const configurationsIn = (words: readonly string[]) =>
  namesIn(words, JOB_CONFIGURATIONS).flatMap(({ name, next }) =>
    name === 'Debug' && next !== undefined && AFTER_DEBUG.has(next) ? [] : [name],
  )
