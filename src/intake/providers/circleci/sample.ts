import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, job }) => ({
  body: {
    type: 'workflow-completed',
    id: randomUUID(),
    happened_at: now,
    workflow: { id: randomUUID(), name: job, status: 'success', created_at: now, stopped_at: now },
    pipeline: { number: mark, vcs: { branch: 'main' } },
    project: { slug: 'gh/goldmaster/test', name: 'test' },
  },
})
