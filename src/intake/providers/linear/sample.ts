import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, title }) => ({
  headers: { 'linear-delivery': randomUUID() },
  body: { action: 'create', type: 'Issue', data: { identifier: `TEST-${mark}`, title, state: { name: 'Todo' } } },
})
