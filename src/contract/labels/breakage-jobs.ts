import type { Breakage } from '../health-shapes.ts'

/** `Game (PS5)`: the jobs of a breakage, with its platforms unless the names of the jobs say them. */
export function jobsInWords({ jobs, platforms }: Pick<Breakage, 'jobs' | 'platforms'>, most = Number.POSITIVE_INFINITY): string {
  const says = (job: string, platform: string) => job.toLowerCase().includes(platform.toLowerCase())
  const told = platforms.filter((platform) => !jobs.some((job) => says(job, platform)))
  const more = jobs.length > most ? ` and ${jobs.length - most} more` : ''
  return `${jobs.slice(0, most).join(', ')}${more}${told.length > 0 ? ` (${told.join(', ')})` : ''}`
}
