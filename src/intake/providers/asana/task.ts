import type { ReferenceFact } from '../../facts.ts'

export const isTask = (gid: string | undefined): gid is string => gid !== undefined && /^\d{1,40}$/.test(gid)

export const taskFact = (key: string): ReferenceFact => ({ kind: 'reference', key, url: `https://app.asana.com/0/0/${key}` })
