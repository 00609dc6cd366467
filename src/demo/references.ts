import type { Database } from '../db/database.ts'
import { upsert } from '../domain/tasks/references.ts'
import type { Loaded } from '../world/loaded.ts'
import type { Game } from './game.ts'
import { DOMAIN, PEOPLE } from './people.ts'

/** Items of external trackers; a world file has no place for them. */
export async function keepReferences(db: Database, games: readonly Game[], loaded: Loaded) {
  for (const game of games)
    for (const { provider, who, ...item } of game.references) {
      const place = {
        account_id: loaded.accounts[game.account]!.id,
        project_id: loaded.projects[game.key]!.id,
        integration_id: loaded.integrations[`${game.key}-${provider}`]!.id,
        provider,
      }
      const uids: { [tracker: string]: string } = who ? PEOPLE[who] : {}
      await upsert(db, place, { ...item, url: `https://${provider}.${DOMAIN}/${item.key}`, assignee_uid: uids[provider] ?? null })
    }
}
