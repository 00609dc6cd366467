import { Type } from 'typebox'
import { flag, instant, integer, list, nullable, object, oneOf, ownText } from '../fields.ts'
import { PASSPHRASE } from '../limits.ts'
import { plainGet, post } from '../routes/route.ts'
import * as sets from '../sets.ts'

/** Exporting an account or a project; a part of the table in `routes.ts`. */

const Export = object({
  id: integer,
  /** Null: the whole account. */
  project_id: nullable(integer),
  user_id: integer,
  status: oneOf(sets.EXPORT_STATUSES),
  secrets: flag,
  /** So far. */
  rows: integer,
  bytes: integer,
  error: nullable(ownText),
  created_at: instant,
  expires_at: instant,
})
const asked = object({ passphrase: Type.Optional(Type.String(PASSPHRASE)) })

export const exportRoutes = {
  listExports: {
    ...plainGet,
    path: '/v1/accounts/:account_id/exports',
    summary: 'List the exports that you can download, newest first',
    role: 'guest',
    reply: list('exports', Export),
  },
  exportAccount: {
    ...post,
    path: '/v1/accounts/:account_id/exports',
    summary: 'Export an account without passwords and API tokens; secrets of tools only with a passphrase',
    role: 'owner',
    body: asked,
    reply: Export,
    created: 201,
  },
  exportProject: {
    ...post,
    path: '/v1/projects/:project_id/exports',
    summary: 'Export a project; only account admins get admin data and, with a passphrase, secrets of tools',
    role: 'lead',
    body: asked,
    reply: Export,
    created: 201,
  },
} as const
