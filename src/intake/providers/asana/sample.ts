import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now }) => ({
  body: {
    events: [{ action: 'added', created_at: now, resource: { gid: String(mark), resource_type: 'task' }, parent: null }],
  },
})
