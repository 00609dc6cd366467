import { Type } from 'typebox'
import { flag, instant, integer, nullable, object, oneOf, ownText, text } from '../fields.ts'
import * as param from '../params.ts'
import { plainGet } from '../routes/route.ts'
import { BACKUP_STATUSES, BACKUP_TESTS, LANES } from '../sets.ts'
import { Mail } from './shapes.ts'

/** Only for operators of the service. */

export const LEVELS = ['ok', 'warn', 'err'] as const
export const UNITS = ['count', 'seconds', 'bytes'] as const

const figure = Type.Number()

const Area = object({
  name: ownText,
  label: ownText,
  level: oneOf(LEVELS),
  text,
  next: nullable(text),
  figures: Type.Array(object({ key: ownText, label: ownText, unit: oneOf(UNITS), value: nullable(figure) })),
})

const ServiceNode = object({
  host: ownText,
  processes: integer,
  roles: Type.Array(ownText),
  versions: Type.Array(ownText),
  silent_servers: Type.Array(text),
  started_at: instant,
  seen_at: instant,
  vanished: flag,
})

const Trouble = object({
  kind: oneOf(['channel', 'webhook']),
  account_id: integer,
  account: ownText,
  name: ownText,
  status: ownText,
  failing_since: nullable(instant),
  uncertain: integer,
})

const FailingAccount = object({
  account_id: integer,
  account: ownText,
  work: ownText,
  failures: integer,
  error: text,
  failing_since: instant,
})

const Refused = object({
  account_id: nullable(integer),
  account: nullable(ownText),
  address: ownText,
  reason: ownText,
  count: integer,
})

const Backup = object({
  id: integer,
  place: ownText,
  name: ownText,
  status: oneOf(BACKUP_STATUSES),
  test: nullable(oneOf(BACKUP_TESTS)),
  bytes: nullable(integer),
  rows: nullable(integer),
  error: text,
  started_at: instant,
  finished_at: nullable(instant),
})

export const operatorRoutes = {
  showServiceStatus: {
    ...plainGet,
    path: '/v1/operator/status',
    summary: 'Show the service status: nodes, queues, refused requests, storage, email and backups',
    role: 'operator',
    reply: object({
      version: ownText,
      schema: integer,
      areas: Type.Array(Area),
      nodes: Type.Array(ServiceNode),
      jobs: Type.Array(object({ kind: ownText, state: ownText, count: integer })),
      lanes: Type.Array(object({ lane: oneOf(LANES), active: integer, waiting: nullable(integer) })),
      troubles: Type.Array(Trouble),
      failing_accounts: Type.Array(FailingAccount),
      refused: Type.Array(Refused),
      slow_statements: Type.Array(object({ text, calls: integer, mean_ms: integer, max_ms: integer })),
      tables: Type.Array(object({ table: ownText, bytes: integer })),
      backups: Type.Array(Backup),
    }),
  },
  listMails: {
    ...plainGet,
    path: '/v1/operator/mails',
    summary: 'List the newest emails of the service, sent or not',
    role: 'operator',
    query: { before: param.reference },
    reply: object({
      mails: Type.Array(Mail),
      has_more: Type.Boolean(),
      smtp: Type.Boolean(),
      /** Null: forever. */
      kept_days: nullable(integer),
    }),
  },
} as const
