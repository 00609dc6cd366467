import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  headers: { 'webhook-id': randomUUID() },
  body: {
    type: 'commit_created',
    data: { commit_id: `dv.commit.${mark}`, message: title, author: { name: 'Goldmaster' }, created_at: now },
  },
})
