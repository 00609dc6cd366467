import { Type } from 'typebox'
import { instant, integer, nullable, object, oneOf, text, uuid } from '../fields.ts'
import { BULK_MAX, DESCRIPTION_MAX } from '../limits.ts'
import { plainGet, post } from '../routes/route.ts'
import { DECISIONS } from '../sets.ts'
import { Approval } from '../shapes.ts'

const asset_ids = Type.Optional(Type.Array(Type.String({ maxLength: 36 }), { maxItems: BULK_MAX }))
const level = Type.String({ minLength: 1, maxLength: 2000 })
/** Files that are parts of a level wait together: those are decided that waited unchanged at this time. */
const SeenLevel = object({ level, seen_at: instant })

/** Routes for the asset pages beyond the shared table. */
export const appAssetRoutes = {
  listCheckouts: {
    ...plainGet,
    path: '/v1/projects/:project_id/assets/:asset_id/checkouts',
    summary: 'List who has an asset checked out, as its version control says now',
    /** Null: it can't be asked, or did not answer. */
    reply: object({
      checkouts: nullable(Type.Array(object({ name: text, workspace: text, action: text, user_id: nullable(integer) }))),
    }),
  },
  decideAssets: {
    ...post,
    path: '/v1/projects/:project_id/approvals/bulk',
    summary: 'Decide several assets at once',
    role: 'approver',
    body: object({
      asset_ids,
      /** The versions of these assets as they were shown, in the same order. Assets with a newer one are left alone. */
      versions: Type.Optional(Type.Array(integer, { maxItems: BULK_MAX })),
      levels: Type.Optional(Type.Array(SeenLevel, { maxItems: BULK_MAX })),
      status: oneOf(DECISIONS),
      comments: Type.Optional(Type.String({ maxLength: DESCRIPTION_MAX })),
    }),
    /** The first of the decided approvals, how many there are, and what was left alone because it has a newer version. */
    reply: object({
      approvals: Type.Array(Approval),
      decided: integer,
      newer: Type.Array(object({ asset_id: uuid, name: text, version: integer })),
    }),
    writes: true,
  },
  undoDecisions: {
    ...post,
    path: '/v1/projects/:project_id/approvals/undo',
    summary: 'Undo your decisions of the last ten seconds, all or none',
    role: 'approver',
    body: object({ asset_ids, levels: Type.Optional(Type.Array(level, { maxItems: BULK_MAX })) }),
    reply: object({ approvals: Type.Array(Approval), undone: integer }),
    writes: true,
  },
} as const
