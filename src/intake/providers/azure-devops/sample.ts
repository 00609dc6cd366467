import { randomBytes } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ now, title, job }) => {
  const commitId = randomBytes(20).toString('hex')
  return {
    body: {
      eventType: 'git.push',
      resource: {
        commits: [{ commitId, author: { name: 'Goldmaster', date: now }, comment: title }],
        refUpdates: [{ name: `refs/heads/${job}`, oldObjectId: '0'.repeat(40), newObjectId: commitId }],
        repository: { id: 'test', name: 'test', project: { name: 'goldmaster' } },
      },
      createdDate: now,
    },
  }
}
