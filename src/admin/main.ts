import { Command as Commander } from 'commander'
import { buildCommand, buildNoun } from '../terminal/build-command.ts'
import type { Noun } from '../terminal/command.ts'
import { account } from './account.ts'
import { type AdminCommand, type Open, withStore } from './command.ts'
import { deliveries } from './deliveries.ts'
import { integration } from './integration.ts'
import { load } from './load.ts'
import { project } from './project.ts'
import { rule } from './rule.ts'
import { token } from './token.ts'
import { ugsToken } from './ugs-token.ts'
import { user } from './user.ts'
import { webhook } from './webhook.ts'

const NOUNS: readonly Noun<AdminCommand>[] = [account, user, project, token, integration, deliveries, webhook, ugsToken, rule]

/** The operator's commands: they speak to the database itself, so whoever may run them may do everything. */
export function adminCommand(open: Open): Commander {
  const admin = new Commander('admin')
    .description(
      'look after the service: load worlds, accounts, users, projects, tokens, integrations, deliveries, webhooks, Unreal Game Sync, failure rules',
    )
    .addHelpText(
      'after',
      '\nThey open the database itself: run them where the service was started, or with its DATA_DIR, or its DATABASE_URL and SECRET_KEY.',
    )
  admin.addCommand(buildCommand(withStore(open)(load)))
  for (const noun of NOUNS) admin.addCommand(buildNoun({ ...noun, commands: noun.commands.map(withStore(open)) }))
  return admin
}
