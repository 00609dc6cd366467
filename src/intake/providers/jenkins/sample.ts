import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, title, job }) => ({
  body: { job_name: job, build_number: mark, status: 'SUCCESS', duration_ms: 1000, logs_tail: `${title}\nFinished: SUCCESS\n` },
})
