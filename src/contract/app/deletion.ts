import { email, name, object } from '../fields.ts'
import { Done } from './shapes.ts'

/** Deleting an account, a project or oneself; a part of the table in `routes.ts`. What is to go has to be typed once more. */

export const deletionRoutes = {
  deleteAccount: {
    method: 'POST',
    path: '/v1/accounts/:account_id/deletion',
    summary: 'Delete an account with all that it has: closed at once, deleted in the background; cannot be undone',
    role: 'owner',
    query: {},
    body: object({ name }),
    reply: Done,
  },
  deleteProject: {
    method: 'POST',
    path: '/v1/accounts/:account_id/projects/:id/deletion',
    summary: 'Delete a project with all that it has: hidden at once, deleted in the background; cannot be undone',
    role: 'admin',
    query: {},
    body: object({ name }),
    reply: Done,
  },
  deleteMe: {
    method: 'POST',
    path: '/v1/me/deletion',
    summary: 'Delete the caller: signed out at once, forgotten in the background; the last owner of an account stays',
    query: {},
    body: object({ email }),
    reply: Done,
  },
} as const
