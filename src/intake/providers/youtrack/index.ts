import type { Fact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, object, objects, text, time, Unreadable, word } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/**
 * The app Webhook Triggers, or a workflow script that sends the same fields. The app can't prove who it is: the version that was read
 * sends the word `secret` instead of its token.
 */
export const youtrack: Provider = {
  name: 'youtrack',
  label: 'YouTrack',
  reports: 'Issues that are linked from your tasks',
  category: 'trackers',
  paths: ['youtrack'],
  tokenHeader: 'x-service-token',
  answers: 200,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  event: ({ body }) => text(at(body, 'event'))?.slice(0, 100) ?? 'unknown',
  read({ body }) {
    const [reported, event] = [object(body), text(at(body, 'event'))]
    if (reported === undefined || event === undefined) throw new Unreadable('The body must be a JSON object with an event.')
    return issue(reported, event)
  },
  server,
  setup,
  sample,
}

/** Comments, work items and attachments name their issue too. Its state is only known once it changes. */
function issue(body: Json, event: string): Fact[] {
  const key = keyOf(body)
  if (key === undefined)
    throw new Unreadable('The issue must have an id such as GAME-12, or a numberInProject and the shortName of its project.')
  const changed = objects(body.changedFields)
  return [
    {
      kind: 'reference',
      key,
      title: text(body.summary),
      state: nameOf(newValue(changed, 'state') ?? newValue(changed, 'stage')),
      assignee_uid: assignee(newValue(changed, 'assignee')),
      ...(/^issue(?:Created|Updated|Deleted)$/.test(event) && { deleted: event === 'issueDeleted' }),
      at: time(body.timestamp) ?? time(body.updated),
    },
  ]
}

const PROJECT = /^[a-z]\w{0,99}$/i

/** Some versions send an internal id such as `2-123`. */
function keyOf(body: Json): string | undefined {
  const id = text(body.id)
  if (id !== undefined && /^[a-z]\w{0,99}-\d{1,18}$/i.test(id)) return id.toUpperCase()
  const project = [at(body.project, 'shortName'), at(body.project, 'key')].map(text).find((name) => PROJECT.test(name ?? ''))
  const number = word(body.numberInProject)
  return project !== undefined && /^\d{1,18}$/.test(number ?? '') ? `${project}-${number}`.toUpperCase() : undefined
}

/** Undefined if the field did not change. */
function newValue(changed: readonly Json[], name: string): unknown {
  const field = changed.find((one) => text(one.name)?.toLowerCase() === name)
  return field === undefined ? undefined : (field.value ?? null)
}

const nameOf = (value: unknown) => text(value) ?? text(at(value, 'name'))

const assignee = (value: unknown): string | null | undefined =>
  value === null ? null : (text(at(value, 'login')) ?? text(value) ?? text(at(value, 'name')))
