import { randomBytes } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title, job }) => ({
  body: {
    repository: job,
    revision: randomBytes(32).toString('hex'),
    revision_number: mark,
    author: 'Goldmaster',
    message: title,
    timestamp: now,
  },
})
