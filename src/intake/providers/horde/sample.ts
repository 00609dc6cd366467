import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title, job }) => ({
  body: {
    id: String(mark),
    streamId: 'test',
    name: title,
    templateId: job,
    change: mark,
    state: 'Complete',
    createTime: now,
    updateTime: now,
    defaultLabel: { state: 'Complete', outcome: 'Success' },
    batches: [],
  },
})
