import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  body: {
    event: 'taskUpdated',
    task_id: `test${mark}`,
    webhook_id: randomUUID(),
    history_items: [{ id: randomUUID(), date: String(Date.parse(now)), field: 'name', after: title }],
  },
})
