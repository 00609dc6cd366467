import type { deletionRoutes } from '../../contract/app/deletion.ts'
import { anAccountBlocked, invalidParameter, notFound, readOnly } from '../../contract/errors.ts'
import { refuseIfDemo } from '../../domain/access/access.ts'
import * as accounts from '../../domain/accounts/accounts.ts'
import * as deletion from '../../domain/accounts/deletion.ts'
import { requestUser } from '../../domain/accounts/forget-person.ts'
import * as users from '../../domain/accounts/users.ts'
import * as projectSettings from '../../domain/projects/project-settings.ts'
import { done, type Handlers } from '../routes/call.ts'
import { shortIdOf } from '../routes/path-ids.ts'

function requireSame(field: 'name' | 'email', typed: string, real: string) {
  if (typed.trim().toLowerCase() !== real.trim().toLowerCase()) throw invalidParameter(field, 'does not match the name')
}

/** Irreversible deletions: the caller has to type the name of what is deleted. */
export const deletionHandlers: Handlers<keyof typeof deletionRoutes> = {
  async deleteAccount({ db, account_id, caller, site, body }) {
    refuseIfDemo(caller, site)
    requireSame('name', body.name, (await accounts.find(db, account_id)).name)
    await deletion.requestAccount(db, account_id)
    return done
  },
  async deleteProject({ db, account_id, caller, site, path, body }) {
    refuseIfDemo(caller, site)
    const project_id = shortIdOf(path.id, 'Project')
    const project = await projectSettings.show(db, project_id)
    if (project.account_id !== account_id) throw notFound('Project')
    requireSame('name', body.name, project.name)
    await deletion.requestProject(db, { account_id, project_id })
    return done
  },
  async deleteMe({ db, caller, site, body }) {
    if (caller.blocked_account_ids.length > 0) throw anAccountBlocked()
    const { email, account_ids } = await users.find(db, String(caller.user_id))
    const demos = await Promise.all(account_ids.map(async (id) => (await accounts.find(db, id)).demo))
    if (demos.length > 0 && demos.every(Boolean)) throw readOnly('demo', site)
    requireSame('email', body.email, email)
    await requestUser(db, caller.user_id)
    return done
  },
}
