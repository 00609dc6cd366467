import type { AppArguments, AppReply } from '../../../contract/app/routes.ts'
import { ask } from '../../api.ts'

type Entry = AppReply<'listAuditLog'>['entries'][number]
export type AuditFilter = Omit<NonNullable<AppArguments<'listAuditLog'>['query']>, 'before' | 'limit'>

const PAGE = 100

const COLUMNS = [
  'id',
  'at',
  'actor',
  'user_id',
  'token_id',
  'ip_address',
  'action',
  'project_id',
  'subject',
  'before',
  'after',
  'position',
  'hash',
] as const satisfies (keyof Entry)[]

/** A cell that starts like a formula is one to a spreadsheet: a quote before it keeps it text. */
const cell = (value: unknown) => {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

/** All matching entries, including those of later pages, as a file. */
export async function saveAuditLog(accountId: number, filter: AuditFilter, kind: 'csv' | 'json') {
  const entries: Entry[] = []
  for (let more = true, before: number | null = null; more; ) {
    const page: AppReply<'listAuditLog'> = await ask('listAuditLog', {
      account_id: accountId,
      query: { ...filter, limit: PAGE, ...(before && { before }) },
    })
    entries.push(...page.entries)
    more = page.has_more
    before = page.next_before
  }
  const text =
    kind === 'json'
      ? JSON.stringify(entries, null, 2)
      : [COLUMNS.join(','), ...entries.map((entry) => COLUMNS.map((name) => cell(entry[name])).join(','))].join('\r\n')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: kind === 'json' ? 'application/json' : 'text/csv' }))
  link.download = `audit-log.${kind}`
  link.click()
  URL.revokeObjectURL(link.href)
}
