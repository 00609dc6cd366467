import { Command } from 'commander'
import { account } from './account.ts'
import { deliveries } from './deliveries.ts'
import { integration } from './integration.ts'
import { load } from './load.ts'
import { rule } from './rule.ts'
import type { Open } from './store.ts'
import { token } from './token.ts'
import { user } from './user.ts'
import { webhook } from './webhook.ts'

const USAGE_ERROR = 2

/** The operator's commands: they speak to the database itself, so whoever may run them may do everything. */
export function adminCommand(open: Open): Command {
  const admin = new Command('admin')
    .description(
      'look after the service: load worlds, accounts, users, tokens, integrations, deliveries, webhooks, failure rules',
    )
    .addHelpText(
      'after',
      '\nThey open the database itself: run them where the service was started, or with its DATA_DIR, or its DATABASE_URL and SECRET_KEY.',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))
  for (const add of [load, account, user, token, integration, deliveries, webhook, rule]) add(admin, open)
  return admin
}
