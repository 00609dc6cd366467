import { randomBytes, randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ now, title, job }) => {
  const commit = { hash: randomBytes(20).toString('hex'), message: title, date: now, author: { raw: 'Goldmaster' } }
  return {
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': randomUUID() },
    body: {
      repository: { full_name: 'goldmaster/test' },
      push: { changes: [{ new: { type: 'branch', name: job, target: commit }, old: null, commits: [commit] }] },
    },
  }
}
