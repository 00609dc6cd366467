import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  body: {
    changelist: mark,
    timestamp: now,
    user: 'goldmaster',
    description: title,
    files: [{ path: '//depot/goldmaster-test.txt', action: 'edit' }],
  },
})
