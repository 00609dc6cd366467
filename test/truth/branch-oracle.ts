/** The expected state of a branch, computed from what its builds count as. */
export interface ExpectedBranch {
  name: string
  state: 'green' | 'red'
  red: string[]
  /** Changelists; 0 if there is none. */
  head: number
  lastGood: number | null
}

/** What a build counts as, at the newest change of its branch that is not above its own. */
export interface Verdict {
  job: string
  ciJob: string
  number: number
  arrival: number
  position: number
  passed: boolean
}

/** By position, then by the CI's number, then by arrival. */
export const inOrder = (
  a: Pick<Verdict, 'position' | 'number' | 'arrival'>,
  b: Pick<Verdict, 'position' | 'number' | 'arrival'>,
) => a.position - b.position || a.number - b.number || a.arrival - b.arrival

/** Every job is required from its first verdict on. `changelists`: those of the branch. */
export function expectedBranch(
  name: string,
  changelists: readonly number[],
  verdicts: readonly Verdict[],
): ExpectedBranch | null {
  if (verdicts.length === 0) return null
  const jobs = [...new Set(verdicts.map(({ job }) => job))].sort().map((job) => {
    const own = verdicts.filter((one) => one.job === job).toSorted(inOrder)
    return { ciName: own[0]!.ciJob, own, newest: own.at(-1)! }
  })
  /** Of several verdicts at one position the newest counts. */
  const covers = (own: readonly Verdict[], changelist: number) => {
    const next = own.find(({ position }) => position >= changelist)
    const after = next && own.findLast(({ position }) => position === next.position)
    return own.findLast(({ position }) => position <= changelist)!.passed && after?.passed === true
  }
  const good = changelists.filter((changelist) => {
    const required = jobs.filter(({ own }) => own[0]!.position <= changelist)
    return required.length > 0 && required.every(({ own }) => covers(own, changelist))
  })
  const red = jobs.filter(({ newest }) => !newest.passed).map((job) => job.ciName)
  return {
    name,
    state: red.length > 0 ? 'red' : 'green',
    red,
    head: Math.max(0, ...changelists),
    lastGood: good.length > 0 ? Math.max(...good) : null,
  }
}
