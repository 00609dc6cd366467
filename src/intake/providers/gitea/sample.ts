import { randomBytes, randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ now, title, job }) => ({
  headers: { 'x-gitea-event': 'push', 'x-gitea-delivery': randomUUID() },
  body: {
    ref: `refs/heads/${job}`,
    before: '0'.repeat(40),
    repository: { full_name: 'goldmaster/test' },
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
