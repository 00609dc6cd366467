import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title, job }) => ({
  headers: { 'x-buildkite-event': 'build.finished', 'x-buildkite-request': randomUUID() },
  body: {
    event: 'build.finished',
    build: { number: mark, state: 'passed', message: title, started_at: now, finished_at: now },
    pipeline: { slug: job, name: job },
  },
})
