import { Type } from 'typebox'
import { flag, instant, integer, nullable, object, oneOf, ownText, text } from '../fields.ts'
import { URL_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { plainGet, post, put, remove } from '../routes/route.ts'
import { AUDIT_ACTORS } from '../sets.ts'
import { Done } from './shapes.ts'

/** The audit log of an account; a part of the table in `routes.ts`. */

/** Sent in a header. */
const SECRET = '^[\\x21-\\x7e]{8,1000}$'

const AuditEntry = object({
  id: integer,
  at: instant,
  actor: oneOf(AUDIT_ACTORS),
  user_id: nullable(integer),
  token_id: nullable(integer),
  ip_address: nullable(text),
  /** The name of the route or the operator's command. */
  action: text,
  project_id: nullable(integer),
  /** `kind/id` */
  subject: text,
  before: nullable(Type.Unknown()),
  after: nullable(Type.Unknown()),
  /** Its position in the chain, and the hash over the previous entry and its own fields. */
  position: nullable(integer),
  hash: nullable(text),
})

const AuditStream = object({
  url: ownText,
  /** For an https receiver: whether the secret is sent or signs. */
  authenticates: nullable(oneOf(['bearer', 'signature'] as const)),
  /** The position in the chain up to which the receiver has everything, and how many entries are left. */
  position: integer,
  waiting: integer,
  failing_since: nullable(instant),
  error: text,
  next_at: instant,
  created_at: instant,
  updated_at: instant,
})

const filters = {
  action: param.text,
  user_id: param.shortReference,
  project_id: param.shortReference,
  since: param.instant,
  until: param.instant,
}

export const auditRoutes = {
  listAuditLog: {
    ...plainGet,
    path: '/v1/accounts/:account_id/audit_log',
    summary: 'List the audit log of an account, newest first',
    role: 'admin',
    query: { ...filters, before: param.reference, limit: param.limit },
    reply: object({
      entries: Type.Array(AuditEntry),
      has_more: flag,
      /** The value of `before` for the next page. */ next_before: nullable(integer),
    }),
  },
  verifyAuditLog: {
    ...post,
    path: '/v1/accounts/:account_id/audit_log/verify',
    summary: 'Verify the audit log: whether an entry was changed or is missing',
    role: 'admin',
    reply: object({
      entries: integer,
      head: nullable(text),
      /** The number of entries at the beginning that were sealed before the service had keys. */
      broken: nullable(object({ position: integer, id: nullable(integer), why: text })),
    }),
    unaudited: true,
  },
  showAuditStream: {
    ...plainGet,
    path: '/v1/accounts/:account_id/audit_stream',
    summary: 'Show the audit log stream and its position',
    role: 'admin',
    reply: object({ stream: nullable(AuditStream) }),
  },
  setAuditStream: {
    ...put,
    path: '/v1/accounts/:account_id/audit_stream',
    summary: 'Stream the audit log to a syslog server, or as JSON lines to a URL',
    role: 'owner',
    body: object({
      url: Type.String({ maxLength: URL_MAX }),
      /** Null removes it; without it the previous one stays, as long as the host does. */
      secret: Type.Optional(nullable(Type.String({ pattern: SECRET }))),
      from_beginning: Type.Optional(Type.Boolean()),
    }),
    reply: object({ stream: nullable(AuditStream) }),
    writes: true,
  },
  removeAuditStream: {
    ...remove,
    path: '/v1/accounts/:account_id/audit_stream',
    summary: 'Stop the audit log stream',
    role: 'owner',
    reply: Done,
  },
} as const
