import { randomBytes, randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ now, title, job }) => ({
  headers: { 'x-gitlab-event': 'Push Hook', 'idempotency-key': randomUUID() },
  body: {
    object_kind: 'push',
    ref: `refs/heads/${job}`,
    before: '0'.repeat(40),
    project: { path_with_namespace: 'goldmaster/test' },
    commits: [
      {
        id: randomBytes(20).toString('hex'),
        message: title,
        timestamp: now,
        author: { name: 'Goldmaster' },
        added: [],
        modified: [job],
        removed: [],
      },
    ],
  },
})
