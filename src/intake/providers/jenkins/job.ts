import { originOf } from '../../build-origin.ts'
import { at, objects, text, word } from '../../reading.ts'

/** The parameters with the changelist in Jenkins jobs that sync from Perforce. */
const CHANGELIST_PARAMETERS = ['p4_changelist', 'p4_change', 'p4cl', 'changelist', 'change_list', 'cl']

/** `job/studio/job/Game%20Win64/12/` is run 12 of `studio/Game Win64`, as in `JOB_NAME`. */
export function jobPath(address: unknown): { job: string; number?: string } | undefined {
  const segments = (text(address) ?? '').split('/')
  const start = segments.indexOf('job')
  if (start === -1) return undefined
  const names: string[] = []
  let next = start
  while (segments[next] === 'job' && segments[next + 1]) {
    names.push(decoded(segments[next + 1]!))
    next += 2
  }
  const number = segments[next]
  return names.length === 0 ? undefined : { job: names.join('/'), ...(number && /^\d+$/.test(number) && { number }) }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The upstream build in a cause. */
export function upstreamOf(cause: unknown): { job: string; number: string } | undefined {
  const [job, number] = [text(at(cause, 'upstreamProject')), word(at(cause, 'upstreamBuild'))]
  return job === undefined || number === undefined ? undefined : { job, number }
}

/** From a map of parameters, or from the `[{name, value}]` of the REST API. */
export function changelistIn(parameters: unknown): string | undefined {
  const values = valuesOf(parameters)
  // `now`, a label or an empty default is not a changelist.
  return CHANGELIST_PARAMETERS.map((name) => values.get(name)?.trim()).find((value) => value && /^\d+$/.test(value))
}

/** From the name of the job and the parameters of review plugins. */
export function originIn(job: string, parameters: unknown) {
  const values = valuesOf(parameters)
  const first = (...names: string[]) => names.map((name) => values.get(name)).find((value) => value !== undefined)
  return originOf({
    preflight: first('preflight', 'ispreflight'),
    bisect: first('bisect'),
    // The Perforce plugin passes the number of a review, and whether it is shelved or submitted.
    shelf: first('shelf', 'p4_shelf', 'shelf_id') ?? (values.get('status') === 'shelved' ? values.get('review') : undefined),
    pull_request: first('ghprbpullid', 'gitlabmergerequestiid', 'pull_request'),
    job,
    target_branch: first('change_target', 'ghprbtargetbranch', 'gitlabtargetbranch'),
  })
}

/** By their names in lower case. */
function valuesOf(parameters: unknown): Map<string | undefined, string | undefined> {
  const pairs = Array.isArray(parameters)
    ? objects(parameters).map((item): [unknown, unknown] => [at(item, 'name'), at(item, 'value')])
    : typeof parameters === 'object' && parameters !== null
      ? Object.entries(parameters)
      : []
  return new Map(
    pairs.map(([name, value]) => [text(name)?.toLowerCase(), typeof value === 'boolean' ? String(value) : word(value)]),
  )
}
