import { randomBytes } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ title }) => ({
  body: {
    action: {
      id: randomBytes(12).toString('hex'),
      type: 'createCard',
      data: { card: { shortLink: randomBytes(4).toString('hex'), name: title }, list: { name: 'To Do' } },
    },
  },
})
