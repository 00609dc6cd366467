/** What separates the name of a job from its platform and configuration, as in `build_job` of the schema. */
const SEPARATOR = '\u001f'

/** The name of a job in the CI, without the platform and configuration of its builds. */
export const nameOfJob = (job: string) => job.split(SEPARATOR)[0]!

const labelWith = ([name, ...dimensions]: readonly string[], isShown: (dimension: string) => boolean) => {
  const shown = dimensions.filter((dimension) => dimension !== '' && isShown(dimension))
  return shown.length === 0 ? name! : `${name} (${shown.join(', ')})`.trim()
}

/** `Game (PS5, Shipping)`: a job in words. */
export const fullLabelOf = (job: string) => labelWith(job.split(SEPARATOR), () => true)

/** A job in words, without what its name says already. */
export function labelOfJob(job: string): string {
  const name = nameOfJob(job).toLowerCase()
  return labelWith(job.split(SEPARATOR), (dimension) => !name.includes(dimension.toLowerCase()))
}

/** Jobs in words: with platform and configuration where several have the same name. */
export function labelsOfJobs(jobs: Iterable<string>): Map<string, string> {
  const all = [...new Set(jobs)]
  const isShared = (job: string) => all.some((other) => other !== job && nameOfJob(other) === nameOfJob(job))
  return new Map(all.map((job) => [job, isShared(job) ? fullLabelOf(job) : nameOfJob(job)]))
}
