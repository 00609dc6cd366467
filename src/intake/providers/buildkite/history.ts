import { type History, jobAfter, jobOf, linkedPage } from '../../history/history.ts'
import { type Json, number, objects, text, time } from '../../reading.ts'
import { agentOf } from '../../reports/build-dimensions.ts'
import { read } from './build.ts'
import { stepOf } from './job.ts'

const PAGE = 100

/** The builds of every pipeline that reported. Unlike webhooks, a listed build has all its jobs. */
export const history: History = {
  headers: (config) => ({ authorization: `Bearer ${text(config.api_token) ?? ''}` }),
  parts: [
    {
      name: 'builds',
      needs: 'read_builds',
      ofJobs: true,
      page(asked) {
        const query = new URLSearchParams({ created_from: asked.since, created_to: asked.until, exclude_pipeline: 'true' })
        const place = `per_page=${PAGE}&page=${number(asked.cursor.page) ?? 1}`
        return { path: `/pipelines/${encodeURIComponent(jobOf(asked))}/builds?${query}&${place}` }
      },
      read({ headers, body }, asked) {
        const job = jobOf(asked)
        const page = linkedPage(headers, 'next')
        const next = page === undefined ? jobAfter(job, asked.jobs) : { job, page }
        return { facts: objects(body).flatMap((build) => buildFact(build, job)), ...(next && { next }) }
      },
    },
  ],
}

function buildFact(build: Json, slug: string) {
  const jobs = objects(build.jobs)
  const steps = jobs.flatMap((job) => stepOf(job) ?? [])
  const last = jobs.toSorted((one, other) => (time(one.finished_at) ?? '').localeCompare(time(other.finished_at) ?? '')).at(-1)
  const agent = agentOf(last?.agent)
  return read({ build, pipeline: { slug } }, 'build').map((fact) => ({
    ...fact,
    ...(steps.length > 0 && { steps }),
    ...(agent !== undefined && { agent }),
  }))
}
