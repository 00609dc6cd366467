import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  body: {
    id: randomUUID(),
    changed_at: now,
    version: 'v1',
    primary_id: mark,
    actions: [{ id: mark, entity_type: 'story', action: 'create', name: title, workflow_state_id: 5 }],
    references: [{ id: 5, entity_type: 'workflow-state', name: 'Unstarted', type: 'unstarted' }],
  },
})
