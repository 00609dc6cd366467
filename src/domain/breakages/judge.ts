/** Where a build stands: on its branch, and in time where nobody knows that. */
export interface Place {
  position: number | null
  /** Milliseconds. */
  at: number
}

export interface Pass extends Place {
  build_run_id: number
  /** When it was known that it passed. */
  finished_at: number
}

/** A job that was hit on a branch: its builds that failed for this cause, and those of its builds that passed around them. */
export interface Hit {
  job: string
  branch: string
  failures: Place[]
  passes: Pass[]
  /** Nothing was heard of it for so long that it holds nothing open. */
  silent: boolean
}

export interface Verdict {
  /** The first pass of every job after its last failure; null while one is missing. */
  mended: Pass[] | null
  /** Passed and failed at the same change. */
  flaky: boolean
  /** Positions on the branch between which it began. */
  firstBad: number | null
  lastGood: number | null
}

/** Whether a failure no longer counts: something later passed. What no change is to blame for may pass at the same one. */
const isLater = (pass: Place, failure: Place, passing: boolean) => {
  if (pass.position === null || failure.position === null) return pass.at > failure.at
  return pass.position > failure.position || (passing && pass.position === failure.position && pass.at > failure.at)
}

/**
 * What the builds of a breakage say, whatever order they were reported in. `passing`: its cause comes and goes by itself, because it lies
 * in the machines or because it did so before.
 */
export function judge(hits: readonly Hit[], passing: boolean): Verdict {
  const failing = hits.flatMap(({ failures }) => positionsOf(failures))
  const firstBad = failing.length === 0 ? null : Math.min(...failing)
  const good = hits.flatMap(({ passes }) => positionsOf(passes)).filter((position) => firstBad !== null && position < firstBad)
  const flaky = hits.some(({ failures, passes }) => {
    const passed = new Set(positionsOf(passes))
    return positionsOf(failures).some((position) => passed.has(position))
  })
  const mended = hits.filter(({ silent }) => !silent).map((hit) => firstPass(hit, passing || flaky))
  return {
    flaky,
    firstBad,
    lastGood: good.length === 0 ? null : Math.max(...good),
    mended: mended.includes(undefined) ? null : (mended as Pass[]),
  }
}

const positionsOf = (places: readonly Place[]) => places.flatMap(({ position }) => (position === null ? [] : [position]))

function firstPass({ failures, passes }: Hit, passing: boolean): Pass | undefined {
  const after = passes.filter((pass) => failures.every((failure) => isLater(pass, failure, passing)))
  return after.sort(inOrder)[0]
}

const inOrder = (a: Place, b: Place) =>
  a.position === null || b.position === null ? a.at - b.at : a.position - b.position || a.at - b.at
