import type { exportRoutes } from '../../contract/app/exports.ts'
import { insufficientRole } from '../../contract/errors.ts'
import { suffices } from '../../contract/sets.ts'
import { refuseIfDemo } from '../../domain/access/access.ts'
import * as exports from '../../domain/accounts/exports.ts'
import { requireFresh } from '../../domain/sign-in/fresh-sign-in.ts'
import type { Handlers } from '../routes/call.ts'

/** Exporting an account or a project; the download is in `export-download.ts`. */
export const exportHandlers: Handlers<keyof typeof exportRoutes> = {
  listExports: async ({ db, account_id, caller }) => ({ exports: await exports.list(db, account_id, caller.user_id) }),
  async exportAccount({ db, vault, account_id, caller, site, body }) {
    refuseIfDemo(caller, site)
    await requireFresh(db, caller)
    return exports.request(db, vault, { account_id, user_id: caller.user_id, whole: true }, body.passphrase)
  },
  async exportProject({ db, vault, account_id, project_id, caller, site, body }) {
    refuseIfDemo(caller, site)
    const whole = suffices(caller.account_role, 'admin')
    // A passphrase would reveal passwords and tokens of integrations, which a project lead cannot see.
    if (body.passphrase !== undefined && !whole) throw insufficientRole('admin')
    await requireFresh(db, caller)
    return exports.request(db, vault, { account_id, project_id, user_id: caller.user_id, whole }, body.passphrase)
  },
}
