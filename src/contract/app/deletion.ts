import { email, name, object } from '../fields.ts'
import { post } from '../routes/route.ts'
import { Done } from './shapes.ts'

/** Deleting an account, a project or one's user; a part of the table in `routes.ts`. The name has to be typed to confirm. */

export const deletionRoutes = {
  deleteAccount: {
    ...post,
    path: '/v1/accounts/:account_id/deletion',
    summary: 'Delete an account and its data: closed immediately, deleted in the background; cannot be undone',
    role: 'owner',
    body: object({ name }),
    reply: Done,
  },
  deleteProject: {
    ...post,
    path: '/v1/accounts/:account_id/projects/:id/deletion',
    summary: 'Delete a project and its data: hidden immediately, deleted in the background; cannot be undone',
    role: 'admin',
    body: object({ name }),
    reply: Done,
  },
  deleteMe: {
    ...post,
    path: '/v1/me/deletion',
    summary: 'Delete your user: signed out immediately, deleted in the background; not for the last owner of an account',
    body: object({ email }),
    reply: Done,
  },
} as const
