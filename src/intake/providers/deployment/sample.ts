import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, job }) => ({
  body: { platform: 'custom', event: 'created', build_number: mark, version: job },
})
