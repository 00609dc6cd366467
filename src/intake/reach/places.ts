import type { AppReply } from '../../contract/app/routes.ts'
import { invalidParameter } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import * as integrations from '../../domain/integrations/integrations.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import * as store from '../../domain/integrations/places.ts'
import { providers } from '../providers/index.ts'
import { followUpConfirmed } from './follow-up.ts'

/** What leads see and decide about the places of an integration; what follows from it is in `reach.ts`. */

export async function shownPlaces(
  db: Database,
  key: RecordKey,
  { provider, config }: { provider: ProviderName; config: Record<string, unknown> },
): Promise<AppReply<'showIntegration'>['places']> {
  const { places } = providers[provider]
  if (places === undefined) return null
  const { listed } = await store.find(db, key)
  const confirmed = listed.filter((one) => one.confirmed).map(({ place }) => place)
  const waiting = listed.filter((one) => !one.confirmed).map(({ place, signed, created_at }) => ({ place, signed, created_at }))
  return { named: places.inSettings?.(config) ?? [], confirmed, waiting }
}

/** In a transaction. What waited for a place is asked for now. */
export async function setPlaces(db: Database, key: RecordKey, { confirm = [], ...edit }: store.PlacesEdit) {
  const { provider } = await integrations.find(db, key.id)
  const { places } = providers[provider]
  if (places === undefined) throw invalidParameter('confirm', 'needs a tool whose server has several jobs or projects')
  const { spelled = (name: string) => name.trim() } = places
  const named = confirm.map(spelled)
  if (named.some((place) => place === '' || place === '*' || place === '/*'))
    throw invalidParameter('confirm', 'must name a place. To allow all, set every_place')
  await store.edit(db, key, { ...edit, confirm: named })
  const context = named.length > 0 || edit.every_place ? await subjects.integration(db, key) : undefined
  if (context) await followUpConfirmed(db, context)
}
