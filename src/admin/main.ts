import { Command as Commander } from 'commander'
import { buildCommand, buildNoun } from '../terminal/build-command.ts'
import type { Noun } from '../terminal/command.ts'
import { account } from './account.ts'
import { auditLog } from './audit.ts'
import { type AdminCommand, type Open, withOpened, withStore } from './command.ts'
import { backup, move, restore } from './database/backup.ts'
import { distribute } from './database/distribute.ts'
import { listBackups } from './database/stored-backups.ts'
import { deliveries } from './deliveries.ts'
import { diagnosis } from './diagnosis.ts'
import { exportAccount } from './export.ts'
import { integration } from './integration.ts'
import { load } from './load.ts'
import { people } from './people.ts'
import { project } from './project.ts'
import { rotateKeys } from './rotate-keys.ts'
import { rule } from './rule.ts'
import { sso } from './sso.ts'
import { showStatus } from './status.ts'
import { token } from './token.ts'
import { ugsToken } from './ugs-token.ts'
import { user } from './user.ts'
import { webhook } from './webhook.ts'

const NOUNS: readonly Noun<AdminCommand>[] = [
  account,
  user,
  people,
  sso,
  project,
  token,
  integration,
  deliveries,
  webhook,
  ugsToken,
  rule,
  diagnosis,
  auditLog,
]

/** The operator's commands: they use the database directly, so anybody who can run them can do everything. */
export function adminCommand({ store, rawDatabase, storedBackups }: Open): Commander {
  const admin = new Commander('admin').addHelpText(
    'after',
    '\nThese commands open the database directly. Run them in the folder where you started the service, or set its DATA_DIR, or its DATABASE_URL and SECRET_KEY.',
  )
  for (const one of [backup, listBackups(storedBackups), restore(storedBackups), move, distribute])
    admin.addCommand(buildCommand(withOpened(rawDatabase)(one)))
  for (const one of [showStatus, load, exportAccount, rotateKeys]) admin.addCommand(buildCommand(withStore(store)(one)))
  for (const noun of NOUNS) admin.addCommand(buildNoun({ ...noun, commands: noun.commands.map(withStore(store, noun.name)) }))
  return admin
}
