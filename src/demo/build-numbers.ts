import type { Game, Job } from './game.ts'

/** A build that has no number yet. */
export interface Queued {
  job: Pick<Job, 'name'>
  queued: number
}

export type BuildNumbers = ReadonlyMap<Queued, string>

/** Each job counts its builds in the order in which they were queued, as a CI does. */
export function numbersOf({ jobs }: Game, builds: readonly Queued[]): BuildNumbers {
  const last = new Map(jobs.map(({ name }, i) => [name, 180 + 137 * i]))
  return new Map(
    builds
      .toSorted((a, b) => a.queued - b.queued)
      .map((build) => {
        const number = last.get(build.job.name)! + 1
        last.set(build.job.name, number)
        return [build, String(number)]
      }),
  )
}
