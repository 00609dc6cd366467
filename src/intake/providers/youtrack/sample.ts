import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  body: { event: 'issueCreated', timestamp: now, id: `TEST-${mark}`, summary: title, project: { shortName: 'TEST' } },
})
