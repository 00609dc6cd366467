import type { ReferenceFact } from '../../facts.ts'
import { at, link, text, time, word } from '../../reading.ts'

/** An issue, complete as webhooks and queries have it. */
export function issue(body: unknown, removed: boolean): ReferenceFact[] {
  const data = at(body, 'data')
  const url = link(at(data, 'url')) ?? link(at(body, 'url'))
  const key = keyOf(data) ?? keyIn(url)
  if (key === undefined) return []
  return [
    {
      kind: 'reference',
      key,
      title: text(at(data, 'title')),
      state: text(at(data, 'state', 'name')),
      url,
      // An issue is sent complete, without its empty fields: no assignee means nobody.
      assignee_uid: text(at(data, 'assignee', 'id')) ?? text(at(data, 'assigneeId')) ?? null,
      deleted: removed,
      at: happened(body),
    },
  ]
}

/** Not `webhookTimestamp`: it may be that of a retry. */
export const happened = (body: unknown) => time(at(body, 'createdAt'))

/** Older payloads have no `identifier`. */
export function keyOf(issue: unknown): string | undefined {
  const [team, number] = [text(at(issue, 'team', 'key')), word(at(issue, 'number'))]
  return text(at(issue, 'identifier')) ?? (team && number && `${team}-${number}`)
}

export const keyIn = (url: string | undefined) => /\/issue\/([A-Z][A-Z0-9]{0,49}-\d{1,18})(?![A-Z0-9-])/i.exec(url ?? '')?.[1]
