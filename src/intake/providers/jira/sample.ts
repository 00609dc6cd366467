import { randomUUID } from 'node:crypto'
import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, title }) => ({
  headers: { 'x-atlassian-webhook-identifier': randomUUID() },
  body: {
    webhookEvent: 'jira:issue_created',
    issue: { key: `TEST-${mark}`, fields: { summary: title, status: { name: 'To Do' } } },
  },
})
