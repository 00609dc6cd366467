import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, title }) => ({
  body: { event: { type: 'create_pulse', triggerUuid: randomUUID(), pulseId: mark, pulseName: title } },
})
