import { email, name, object } from '../fields.ts'
import { post } from '../routes/route.ts'
import { Done } from './shapes.ts'

/** Deleting an account, a project or one's user; a part of the table in `routes.ts`. The name has to be typed to confirm. */

export const deletionRoutes = {
  deleteAccount: {
    ...post,
    path: '/v1/accounts/:account_id/deletion',
    summary: 'Delete an account with all that it has: closed at once, deleted in the background; cannot be undone',
    role: 'owner',
    body: object({ name }),
    reply: Done,
  },
  deleteProject: {
    ...post,
    path: '/v1/accounts/:account_id/projects/:id/deletion',
    summary: 'Delete a project with all that it has: hidden at once, deleted in the background; cannot be undone',
    role: 'admin',
    body: object({ name }),
    reply: Done,
  },
  deleteMe: {
    ...post,
    path: '/v1/me/deletion',
    summary: 'Delete the caller: signed out at once, forgotten in the background; the last owner of an account stays',
    body: object({ email }),
    reply: Done,
  },
} as const
