import type { BuildBasis, BuildGap, BuildStatus } from '../../contract/sets.ts'

/** How the reports of a deployment name its build; unnamed fields are empty. */
export interface Evidence {
  named_build_run_id: number | null
  job_name: string
  build_number: string
  commit_hash: string
  changelist: string
  version: string
}

/** A build that matches at least one field. */
export interface Candidate {
  id: number
  status: BuildStatus
  ci_job_name: string
  build_number: string
  commit_hash: string
  changelist: string
  /** Its CI or its tests say that it passed. */
  has_passed: boolean
  /** It counts as passed for its branch, too. */
  is_good: boolean
  /** An artifact of it has the version. */
  has_version: boolean
}

export interface Choice {
  build_run_id: number | null
  basis: BuildBasis | null
  /** Null if a build is chosen. */
  reason: BuildGap | null
  /** The candidates for a person to pick from. */
  candidates: Candidate[]
}

interface Surroundings {
  /** The build of the same upload on another track of the store. */
  promoted: Candidate | undefined
  /** The one job that the store's last deployments came from, if it is certain. */
  usual_job: string | undefined
}

/** Those that passed; if there are any that no test gate fails, only these. */
function passedOf(builds: readonly Candidate[]): Candidate[] {
  const passed = builds.filter(({ has_passed }) => has_passed)
  const good = passed.filter(({ is_good }) => is_good)
  return good.length > 0 ? good : passed
}

/**
 * The build that was shipped, by the most specific field of the reports: only a build that passed, and none if several match. A number alone
 * is weak, because every job counts from 1: it is enough if no other build of the project has it, or if the store's usual job has.
 */
export function chooseBuild(told: Evidence, builds: readonly Candidate[], around: Surroundings): Choice {
  const { named_build_run_id, job_name, build_number } = told
  const named = builds.filter(({ id }) => id === named_build_run_id)
  if (named.length > 0) return only('build_run', named)

  const mine = job_name === '' ? builds : builds.filter((build) => build.ci_job_name === job_name)
  const numbered = mine.filter((build) => build_number !== '' && build.build_number === build_number)
  if (job_name !== '' && numbered.length > 0) {
    const agreeing = numbered.filter((build) => agrees(told, build))
    return agreeing.length > 0 ? only('job', agreeing) : none('contradiction', passedOf(numbered))
  }
  if (around.promoted?.has_passed) return chosen('promotion', around.promoted)

  for (const [basis, fits] of REVISIONS) {
    const found = mine.filter((build) => fits(told, build))
    if (found.length > 0) return only(basis, narrowed(found, told, around))
  }
  if (numbered.length === 0) return none(says(told) ? 'not_known' : 'not_named', [])
  const passed = passedOf(numbered)
  if (passed.length === 0) return none('not_passed', numbered)
  const usual = passed.filter((build) => build.ci_job_name === around.usual_job)
  if (numbered.length === 1 || usual.length === 1) return chosen('number', usual[0] ?? passed[0]!)
  return none('number_only', passed)
}

const REVISIONS: [BuildBasis, (told: Evidence, build: Candidate) => boolean][] = [
  ['commit', (told, build) => told.commit_hash !== '' && build.commit_hash === told.commit_hash],
  ['changelist', (told, build) => told.changelist !== '' && build.changelist === told.changelist],
  ['version', (_, build) => build.has_version],
]

/** Whether no field contradicts a build. */
const agrees = (told: Evidence, build: Candidate) =>
  (told.commit_hash === '' || build.commit_hash === '' || sameCommit(told.commit_hash, build.commit_hash)) &&
  (told.changelist === '' || build.changelist === '' || told.changelist === build.changelist)

const sameCommit = (one: string, other: string) => one.startsWith(other) || other.startsWith(one)

const says = (told: Evidence) =>
  told.named_build_run_id !== null ||
  [told.build_number, told.commit_hash, told.changelist, told.version].some((word) => word !== '')

/** Several builds of one change: the number decides, otherwise the store's usual job. */
function narrowed(found: Candidate[], { build_number }: Evidence, { usual_job }: Surroundings): Candidate[] {
  const numbered = found.filter((build) => build_number !== '' && build.build_number === build_number)
  if (numbered.length > 0) return numbered
  const usual = passedOf(found.filter((build) => build.ci_job_name === usual_job))
  return usual.length === 1 ? usual : found
}

function only(basis: BuildBasis, found: Candidate[]): Choice {
  const passed = passedOf(found)
  if (passed.length === 1) return chosen(basis, passed[0]!)
  return passed.length === 0 ? none('not_passed', found) : none('several', passed)
}

const chosen = (basis: BuildBasis, build: Candidate): Choice => ({
  build_run_id: build.id,
  basis,
  reason: null,
  candidates: [build],
})
const none = (reason: BuildGap, candidates: Candidate[]): Choice => ({ build_run_id: null, basis: null, reason, candidates })
