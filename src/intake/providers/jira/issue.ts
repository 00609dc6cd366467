import type { ReferenceFact } from '../../facts.ts'
import { at, link, objects, text, time } from '../../reading.ts'

const KEY = /^[A-Z][A-Z0-9_]{0,99}-\d{1,18}$/i

/** An issue as webhooks, automation rules and searches show it. */
export function issue(issue: unknown, changelog?: unknown): ReferenceFact[] {
  const key = text(at(issue, 'key'))
  if (key === undefined || !KEY.test(key)) return []
  const fields = at(issue, 'fields')
  return [
    {
      kind: 'reference',
      key,
      title: text(at(fields, 'summary')),
      state: state(at(fields, 'status')) ?? changedTo(changelog, 'status'),
      url: page(link(at(issue, 'self')), key) ?? link(at(issue, 'url')),
      assignee_uid: person(at(fields, 'assignee')),
      at: time(at(fields, 'updated')),
    },
  ]
}

const state = (status: unknown) =>
  text(status) ??
  text(at(status, 'name')) ??
  text(at(status, 'statusCategory', 'name')) ??
  text(at(status, 'statusCategory', 'key'))

/** The items have an own property `toString`: such an object must never be converted to text implicitly. */
const changedTo = (changelog: unknown, field: string) =>
  text(
    at(
      objects(at(changelog, 'items')).find((item) => at(item, 'field') === field),
      'toString',
    ),
  )

/** `https://host/context/rest/api/2/issue/10040` belongs to `https://host/context/browse/GAME-12`. */
function page(self: string | undefined, key: string): string | undefined {
  const end = self?.indexOf('/rest/') ?? -1
  return end > 0 ? `${self?.slice(0, end)}/browse/${key}` : undefined
}

/** Cloud identifies people by account id, Data Center by name. Nobody is null, or an empty id in a rule's body. */
const person = (assignee: unknown) =>
  assignee === undefined
    ? undefined
    : (text(at(assignee, 'accountId')) ?? text(at(assignee, 'name')) ?? text(at(assignee, 'key')) ?? null)
