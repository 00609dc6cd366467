import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title }) => ({
  body: {
    repository: '/srv/svn/goldmaster',
    revision: mark,
    author: 'goldmaster',
    date: now,
    log: title,
    changed: ['U   trunk/goldmaster-test.txt'],
  },
})
