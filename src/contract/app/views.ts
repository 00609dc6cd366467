import { Type } from 'typebox'
import { idText, list, name, object, ownText } from '../fields.ts'
import { plainGet, put, remove } from '../routes/route.ts'
import { Done } from './shapes.ts'

/** A person's saved filters of lists; a part of the table in `routes.ts`. */

const View = object({ id: idText, name: ownText, path: ownText, query: ownText })

export const viewRoutes = {
  listViews: {
    ...plainGet,
    path: '/v1/accounts/:account_id/views',
    summary: 'List your saved views',
    role: 'guest',
    reply: list('views', View),
  },
  saveView: {
    ...put,
    path: '/v1/accounts/:account_id/views',
    summary: 'Save the filters of a list as a view; the same name replaces it',
    role: 'guest',
    body: object({
      name,
      path: Type.String({ maxLength: 100, pattern: '^/(?:feed|inbox|projects/[0-9]{1,10}/[a-z-]{1,40})$' }),
      query: Type.String({ maxLength: 1000 }),
    }),
    reply: View,
    unaudited: true,
  },
  deleteView: {
    ...remove,
    path: '/v1/accounts/:account_id/views/:id',
    summary: 'Delete a view',
    role: 'guest',
    reply: Done,
    unaudited: true,
  },
} as const
