import { Type } from 'typebox'
import { list, object, oneOf } from '../fields.ts'
import { BULK_MAX, DESCRIPTION_MAX } from '../limits.ts'
import { post } from '../routes/route.ts'
import { DECISIONS } from '../sets.ts'
import { Approval } from '../shapes.ts'

const asset_ids = Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: BULK_MAX })

/** Routes for the asset pages beyond the shared table. */
export const appAssetRoutes = {
  decideAssets: {
    ...post,
    path: '/v1/projects/:project_id/approvals/bulk',
    summary: 'Decide several assets at once, all or none',
    role: 'approver',
    body: object({
      asset_ids,
      status: oneOf(DECISIONS),
      comments: Type.Optional(Type.String({ maxLength: DESCRIPTION_MAX })),
    }),
    reply: list('approvals', Approval),
    writes: true,
  },
  undoDecisions: {
    ...post,
    path: '/v1/projects/:project_id/approvals/undo',
    summary: 'Undo your decisions of the last ten seconds, all or none',
    role: 'approver',
    body: object({ asset_ids }),
    reply: list('approvals', Approval),
    writes: true,
  },
} as const
