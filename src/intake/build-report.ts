import { ID_MAX, INTEGER_MAX } from '../contract/limits.ts'
import { BUILD_TYPES, type BuildType, TARGET_TYPES, type TargetType } from '../contract/sets.ts'
import type { Artifact, Step } from './facts.ts'
import { at, link, number, object, objects, text, time, Unreadable, word } from './reading.ts'

/** Common parts of build reports of all tools. */

/** The log under any of its three names, as text or as a list of lines. */
export function logOf(body: unknown): string | undefined {
  for (const name of ['logs_tail', 'log', 'console']) {
    const reported = at(body, name)
    const log = Array.isArray(reported) ? reported.filter((line) => typeof line === 'string').join('\n') : reported
    if (text(log) !== undefined) return text(log)
  }
  return undefined
}

/** A list of objects, names or URLs, or a map from name to URL. */
export function artifactsOf(reported: unknown): Artifact[] | undefined {
  const map = object(reported)
  const artifacts = Array.isArray(reported)
    ? reported.flatMap((item) => artifact(undefined, item))
    : Object.entries(map ?? {}).flatMap(([name, item]) => artifact(name, item))
  return artifacts.length > 0 ? artifacts : undefined
}

const VERSION_MAX = 100

function artifact(key: string | undefined, item: unknown): Artifact[] {
  // The Notification plugin nests the URLs below their storage type.
  const url = [item, ...['url', 'href', 'archive', 's3'].map((name) => at(item, name))]
    .map(link)
    .find((found) => found !== undefined)
  const named = key ?? text(at(item, 'name')) ?? text(at(item, 'filename')) ?? text(at(item, 'path')) ?? text(item)
  if (named === undefined || named === '') return []
  const size = number(at(item, 'size_bytes') ?? at(item, 'size'))
  const size_bytes = size !== undefined && Number.isSafeInteger(size) && size >= 0 ? size : null
  const version = word(at(item, 'version'))?.slice(0, VERSION_MAX)
  return [
    { name: named === url ? lastSegment(url) : named, size_bytes, url: url ?? '', ...(version !== undefined && { version }) },
  ]
}

const lastSegment = (url: string) => text(url.split(/[?#]/, 1)[0]!.split('/').at(-1)) ?? url

const STEP_STATUSES: readonly Step['status'][] = ['queued', 'running', 'completed', 'failed', 'cancelled']
/** More than anybody reads; each is written separately. */
export const STEPS_MAX = 100
const STEP_NAME_MAX = 200

/** Steps in our own format, by name; a step with an unknown state is dropped. */
export function stepsOf(reported: unknown): Step[] | undefined {
  const steps = objects(reported)
    .slice(0, STEPS_MAX)
    .flatMap((item): Step[] => {
      const name = text(at(item, 'name'))?.slice(0, STEP_NAME_MAX)
      const status = STEP_STATUSES.find((known) => known === at(item, 'status'))
      if (name === undefined || status === undefined) return []
      const [started_at, finished_at] = [time(at(item, 'started_at')), time(at(item, 'finished_at'))]
      return [{ name, status, started_at, finished_at, detail: text(at(item, 'detail')) }]
    })
  return steps.length > 0 ? steps : undefined
}

/** The revision of the code: a short number is a changelist (Perforce, Plastic, Subversion), anything else a commit. */
export function revisionOf(value: unknown): { commit_hash?: string; changelist?: string } {
  const revision = word(value)?.trim()
  // Tools use forty zeros and HEAD for unknown.
  if (!revision || revision === 'HEAD' || /^0+$/.test(revision)) return {}
  return /^\d{1,10}$/.test(revision) ? { changelist: revision } : { commit_hash: revision }
}

/** `origin/main` and `refs/heads/main` are both `main`. */
export const branchOf = (value: unknown): string | undefined =>
  text(text(value)?.replace(/^refs\/(?:heads|remotes\/origin)\/|^origin\//, ''))

/** `unreal`, `Unreal Engine 5.4`, `UE5`, `Unity 6000.0.23f1`; an unknown engine is custom. */
export function buildTypeOf(value: unknown): BuildType | undefined {
  const reported = text(value)?.trim().toLowerCase()
  if (reported === undefined || reported === '') return undefined
  const known = BUILD_TYPES.find((type) => reported.startsWith(type))
  return known ?? (/^ue\s?-?\d/.test(reported) ? 'unreal' : 'custom')
}

/** `Shipping`, `DebugGame`, `Development Editor`. */
export function targetTypeOf(value: unknown): TargetType | undefined {
  const reported = text(value)?.trim().toLowerCase()
  return TARGET_TYPES.find((type) => reported?.startsWith(type))
}

/** Whole seconds; undefined for an invalid duration or one longer than the column holds. */
export const seconds = (milliseconds: unknown): number | undefined => {
  const reported = number(milliseconds)
  return reported !== undefined && reported >= 0 && reported / 1000 <= INTEGER_MAX ? Math.round(reported / 1000) : undefined
}

/** A duration in our own format, in units of which `unit` make a second: an impossible one is refused, not dropped. */
export function durationOf(body: unknown, name: string, unit: number): number | undefined {
  const reported = number(at(body, name))
  if (reported === undefined || reported < 0) return undefined
  if (reported / unit > INTEGER_MAX) throw new Unreadable(`${name} must be at most ${INTEGER_MAX} seconds.`)
  return Math.round(reported / unit)
}

/** The build that a report in our own format names by our own id. */
export function buildRunIdOf(body: unknown): number | undefined {
  const reported = number(at(body, 'build_run_id'))
  if (reported !== undefined && reported > ID_MAX) throw new Unreadable(`build_run_id must be at most ${ID_MAX}.`)
  return reported !== undefined && Number.isInteger(reported) && reported > 0 ? reported : undefined
}

export const between = (start: string | undefined, end: string | undefined): number | undefined =>
  start && end ? seconds(Math.min(Date.parse(end) - Date.parse(start), INTEGER_MAX * 1000)) : undefined
