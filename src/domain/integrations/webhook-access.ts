import { notFound, noWebhookToken, projectInactive } from '../../contract/errors.ts'
import type { ProjectStatus } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { SharedLookup } from '../../db/shared-lookup.ts'
import { hashOf, sealedIn, type Vault } from '../privacy/secrets.ts'
import type { IntegrationContext } from './context.ts'
import { isBehind } from './deliveries.ts'

/** An integration as found by its token. */
export interface IntegrationAuth extends IntegrationContext {
  project_status: ProjectStatus
  secrets: string[]
  /** It accepts only signed deliveries, on every path. */
  requires_signature: boolean
  /** Earlier deliveries wait to be processed: this one must not overtake them. */
  is_behind: boolean
  /** When that was asked, by this process's clock. */
  asked_at: number
}

const WELL_FORMED = /^[0-9a-f]{64}$/i

type Found = Omit<IntegrationAuth, 'secrets'> & { secrets_sealed: string[] }

const lookups = new WeakMap<Database['origin'], SharedLookup<Found | undefined>>()

/** The deliveries of a burst share lookups. */
function find(db: Database, hash: Buffer, providers: readonly string[]): Promise<Found | undefined> {
  const shared = lookups.get(db.origin) ?? new SharedLookup()
  lookups.set(db.origin, shared)
  return shared.ask(`${hash.toString('base64')} ${providers}`, async () => {
    const asked_at = performance.now()
    const row = await db.one<Omit<Found, 'asked_at'>>(sql`
      select i.id as integration_id, i.provider, i.config, i.secrets_sealed, i.requires_signature, p.id as project_id, p.account_id, p.engine, p.approval_rules,
        p.status as project_status, ${isBehind} as is_behind
      from integrations i join projects p on p.id = i.project_id
      where i.token_hash = ${hash} and i.active and i.provider = any(${providers})`)
    return row && { ...row, asked_at }
  })
}

/** The active integration of a webhook token, if it is of one of these providers. */
export async function open(
  db: Database,
  vault: Vault,
  token: string | undefined,
  provider: string | readonly string[],
): Promise<IntegrationAuth> {
  if (token === undefined || !WELL_FORMED.test(token)) throw noWebhookToken()
  const row = await find(db, hashOf(token.toLowerCase()), [provider].flat())
  if (!row) throw notFound('Integration')
  const { secrets_sealed, ...integration } = row
  return { ...integration, secrets: secrets_sealed.map((sealed) => vault.open(sealed, secretsOf(row.integration_id))) }
}

export const refuseUnlessActive = ({ project_status }: IntegrationAuth) => {
  if (project_status !== 'active') throw projectInactive(project_status)
}

export const secretsOf = (integrationId: number) => sealedIn('integrations', integrationId, 'secrets_sealed')

/** A new secret and the previous one. */
const SECRETS_MAX = 2

/** Tools hand over a secret once. Returns whether it was expected: the integration has none yet, or its owner requested a new one. */
export const addSecret = async (db: Database, vault: Vault, integrationId: number, secret: string): Promise<boolean> =>
  (await db.execute(sql`
    with kept as (
      select id, (array_append(secrets_sealed, ${vault.seal(secret, secretsOf(integrationId))}::text))[greatest(cardinality(secrets_sealed) + 2 - ${SECRETS_MAX}, 1):] as secrets_sealed
      from integrations where id = ${integrationId} and (cardinality(secrets_sealed) = 0 or handshake_until > now()) for update)
    update integrations i set updated_at = now(), secrets_sealed = kept.secrets_sealed from kept where i.id = kept.id`)) > 0
