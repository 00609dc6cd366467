import { flatOrigin } from '../../build-origin.ts'
import { artifactsOf, branchOf, buildRunIdOf, buildTypeOf, durationOf, logOf, revisionOf } from '../../build-report.ts'
import type { BuildFact, BuildReference, Step } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, number, object, text, time, Unreadable, word } from '../../reading.ts'
import { dimensionsOf, misreadDimensions } from '../../reports/build-dimensions.ts'
import { unknownFields } from '../../reports/unknown-fields.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { cookingDetail, failedAssets } from './assets.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'

/** Unreal and Unity send nothing by themselves: a wrapper around the build posts what it finds in the log. */
export const gameEngine: Provider = {
  name: 'game_engine',
  label: 'Unreal or Unity',
  reports: 'Cooking, shaders and packaging while the engine builds',
  category: 'builds',
  paths: [
    'game_engine/cooking_started',
    'game_engine/asset_cooked',
    'game_engine/shaders_started',
    'game_engine/shaders_completed',
    'game_engine/packaging_started',
    'game_engine/build_completed',
    'game_engine/build_failed',
  ],
  tokenHeader: null,
  answers: 200,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  event: eventOf,
  read: (delivery) => {
    const body = object(delivery.body)
    const build = body && reference(body)
    if (!build)
      throw new Unreadable('An engine event is JSON that names its build: build_run_id, build_id, or build_number with job_name.')
    const said = time(at(body, 'timestamp'))
    const reported = happened(eventOf(delivery), body, said ?? delivery.received.toISOString())
    const warnings = [...misreadDimensions(body), ...unknownFields(body, FIELDS)]
    return [
      { kind: 'build', build, anywhere: true, ...details(body), ...reported, at: said, ...(warnings.length > 0 && { warnings }) },
    ]
  },
  setup,
  sample,
}

const FIELDS = new Set(
  [
    'token event build_run_id build_id job_name build_number build_type engine target_type platform configuration agent measures',
    'commit commit_hash changelist branch timestamp logs_tail log console artifacts duration_seconds phase error message',
    'kind preflight bisect shelf pull_request repository head_repository target_branch',
    'asset assets path ok ms size_before size_after cooked total shader_count',
  ].flatMap((line) => line.split(' ')),
)

function eventOf({ path }: Delivery): string {
  return path.slice('game_engine/'.length)
}

/** With a job, a plain number is the build's number, whatever the field is called: Jenkins has it as BUILD_ID and BUILD_NUMBER. */
function reference(body: unknown): BuildReference | undefined {
  const build_run_id = buildRunIdOf(body)
  const job = text(at(body, 'job_name'))
  const id = word(at(body, 'build_id'))
  const numbered = job !== undefined && id !== undefined && /^\d+$/.test(id)
  const run = word(at(body, 'build_number')) ?? (numbered ? id : undefined)
  const external_id = numbered ? undefined : id
  if (build_run_id === undefined && external_id === undefined && run === undefined) return undefined
  return { build_run_id, external_id, job, number: run }
}

const details = (body: unknown) => ({
  build_type: buildTypeOf(at(body, 'build_type') ?? at(body, 'engine')),
  ...dimensionsOf(body),
  ...revisionOf(at(body, 'commit') ?? at(body, 'commit_hash')),
  ...changelist(at(body, 'changelist')),
  branch: branchOf(at(body, 'branch')),
  ...flatOrigin(body),
  log: logOf(body),
  artifacts: artifactsOf(at(body, 'artifacts')),
})

const changelist = (value: unknown) => (word(value) === undefined ? {} : { changelist: word(value) })

/** The effect of each event on the build's state, phase and steps; `moment` is its time. */
function happened(event: string, body: unknown, moment: string): Partial<BuildFact> {
  const failures = failedAssets(body)
  const duration_seconds = durationOf(body, 'duration_seconds', 1)
  switch (event) {
    case 'cooking_started':
      return building('cooking', [{ ...starts('cooking', moment), detail: setting(body, 'total', 'assets') }])
    case 'asset_cooked': {
      const status = failures.length > 0 ? 'failed' : 'running'
      return building('cooking', [{ name: 'cooking', status, detail: cookingDetail(body) }, ...failures])
    }
    case 'shaders_started':
      return building('shaders', [{ ...starts('shaders', moment), detail: setting(body, 'shader_count', 'shaders') }])
    case 'shaders_completed': {
      const detail = setting(body, 'shader_count', 'shaders')
      return building('shaders', [{ name: 'shaders', status: 'completed', finished_at: moment, duration_seconds, detail }])
    }
    case 'packaging_started':
      return building('packaging', [
        ...over(['cooking', 'shaders'], 'completed', moment),
        { ...starts('packaging', moment), detail: setting(body) },
      ])
    case 'build_completed':
      return {
        status: 'completed',
        finished_at: moment,
        duration_seconds,
        steps: over(PHASES, 'completed', moment),
      }
    default:
      return { ...failed(body, moment, failures), duration_seconds }
  }
}

const building = (phase: string, steps: Step[]): Partial<BuildFact> => ({ status: 'building', phase, steps })

const starts = (name: string, moment: string): Step => ({ name, status: 'running', started_at: moment })

const PHASES = ['cooking', 'shaders', 'packaging']

const over = (names: string[], status: Step['status'], moment: string) =>
  names.map((name): Step => ({ name, status, finished_at: moment, ends: true }))

/** `Win64, 660 assets`. */
function setting(body: unknown, count?: string, noun?: string): string | undefined {
  const counted = count === undefined ? undefined : number(at(body, count))
  const parts = [text(at(body, 'platform')), counted === undefined ? undefined : `${counted} ${noun}`]
  return text(parts.filter((part) => part !== undefined).join(', '))
}

/**
 * The error is in the failed step and in the log, so that it is found even without a log. The running steps failed, unless the report names
 * the phase.
 */
function failed(body: unknown, moment: string, failures: Step[]): Partial<BuildFact> {
  const error = text(at(body, 'error')) ?? text(at(body, 'error', 'message')) ?? text(at(body, 'message'))
  const log = logOf(body)
  const phase = text(at(body, 'phase'))
  const others = PHASES.filter((name) => name !== phase)
  return {
    status: 'failed',
    finished_at: moment,
    steps: [
      ...failures,
      ...over(others, phase ? 'cancelled' : 'failed', moment),
      { name: phase ?? 'build', status: 'failed', finished_at: moment, detail: error },
    ],
    log: error === undefined || log?.includes(error) ? log : [log, error].filter(Boolean).join('\n'),
  }
}
