import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import { type Database, raw, reserveId, type Sql, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { someOf } from '../accounts/table-placement.ts'
import { hashOf, newWebhookToken, sealedIn, type Vault } from '../privacy/secrets.ts'
import { sealConfig, shownConfig } from './config.ts'
import { secretsOf } from './webhook-access.ts'

interface Integration {
  id: number
  project_id: number
  provider: ProviderName
  active: boolean
  /** How many signing secrets are set. */
  secrets: number
  /** It accepts only signed deliveries, on every path. */
  requires_signature: boolean
  config: Record<string, unknown>
  write_back: boolean
  /** Why nothing is written although it is on. */
  write_back_problem: string | null
  /** Its stored credential reaches every job or project of the tool's server. */
  every_place: boolean
  created_at: string
}

const select = (where: Sql) => sql`
  select i.id, i.project_id, i.provider, i.active, cardinality(i.secrets_sealed) as secrets, i.requires_signature, i.config, i.write_back,
    nullif(i.write_back_problem, '') as write_back_problem, i.every_place, i.created_at
  from integrations i where i.deleted_at is null ${where} order by i.id`

const shown = (integration: Integration): Integration => ({ ...integration, config: shownConfig(integration.config) })

export const list = async (db: Database, projectId?: number): Promise<Integration[]> =>
  (await db.rows<Integration>(select(projectId === undefined ? sql`` : sql`and i.project_id = ${projectId}`))).map(shown)

export async function find(db: Database, id: number): Promise<Integration> {
  const integration = await db.one<Integration>(select(sql`and i.id = ${id}`))
  if (!integration) throw notFound('Integration')
  return shown(integration)
}

/** A new webhook token in its stored form: a hash to find it by, the sealed value to show it again. */
export function mintToken(vault: Vault, id: number) {
  const webhook_token = newWebhookToken()
  return { webhook_token, token_hash: hashOf(webhook_token), token_sealed: vault.seal(webhook_token, tokenOf(id)) }
}

export const tokenOf = (id: number) => sealedIn('integrations', id, 'token_sealed')

export const sealSecrets = (vault: Vault, id: number, secrets: string[]) =>
  secrets.map((secret) => vault.seal(secret, secretsOf(id)))

interface NewIntegration {
  project_id: number
  provider: ProviderName
  signing_secrets?: string[]
  /** By default on if a secret is set. */
  requires_signature?: boolean | undefined
  config?: Record<string, unknown>
  /** By default only the places that the settings name and a lead confirms. */
  every_place?: boolean | undefined
  /** The person who created it and knows its token; null for an operator. */
  created_by_user_id?: number | null
}

export async function create(
  db: Database,
  vault: Vault,
  {
    project_id,
    provider,
    signing_secrets = [],
    requires_signature = signing_secrets.length > 0,
    config = {},
    every_place = false,
    created_by_user_id = null,
  }: NewIntegration,
): Promise<Integration & { webhook_token: string }> {
  if (requires_signature && signing_secrets.length === 0) throw noSecret()
  const id = await reserveId(db, 'integrations')
  const { webhook_token, token_hash, token_sealed } = mintToken(vault, id)
  const made = await db.execute(sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed, secrets_sealed, requires_signature, config, every_place, created_by_user_id)
      overriding system value
    select ${id}, p.account_id, p.id, ${provider}, ${token_hash}, ${token_sealed}, ${sealSecrets(vault, id, signing_secrets)}, ${requires_signature},
      ${JSON.stringify(sealConfig(vault, id, config))}::jsonb, ${every_place}, ${created_by_user_id}::integer
    from projects p where p.id = ${project_id}`)
  if (made === 0) throw notFound('Project')
  return { ...(await find(db, id)), webhook_token }
}

/** Deliveries of an inactive integration are refused; earlier data stays. */
export async function setActive(db: Database, id: number, active: boolean): Promise<Integration> {
  await db.execute(sql`
    update integrations set active = ${active}, updated_at = now() where id = ${id} and active <> ${active} and deleted_at is null`)
  return find(db, id)
}

/**
 * Deletes its token, secrets and settings at once; a job deletes its delivery log, which may be long. Reported changes, builds and
 * deployments stay.
 */
export const remove = (db: Database, id: number) =>
  db.transaction(async (db) => {
    const removed = await db.one<{ account_id: number }>(sql`
      update integrations set deleted_at = now(), updated_at = now(), active = false, token_hash = ${hashOf(newWebhookToken())},
        token_sealed = '', secrets_sealed = '{}', config = '{}', write_back = false
      where id = ${id} and deleted_at is null
      returning account_id`)
    if (!removed) throw notFound('Integration')
    await db.execute(sql`delete from integration_places where account_id = ${removed.account_id} and integration_id = ${id}`)
    await enqueue(db, 'purge_integration', { integration_id: id }, { account_id: removed.account_id })
  })

const FORGOTTEN_AT_ONCE = 1_000

/** Deletes what belongs only to the integration: its deliveries, and the items of its tracker. */
export async function purge(db: Database, id: number) {
  const deleted = await db.one<{ account_id: number }>(sql`
    select account_id from integrations where id = ${id} and deleted_at is not null`)
  if (!deleted) return
  const { account_id } = deleted
  const own = sql`t.account_id = ${account_id} and t.integration_id = ${id}`
  for (const table of ['deliveries', 'external_references', 'write_backs']) {
    let forgotten: number
    do
      forgotten = await db.execute(
        sql`delete from ${raw(table)} t where ${await someOf(db, table, account_id, own, FORGOTTEN_AT_ONCE)}`,
      )
    while (forgotten === FORGOTTEN_AT_ONCE)
  }
}

/** Allows a tool to hand over a signing secret for an hour. */
export async function askHandshake(db: Database, id: number): Promise<Integration> {
  await db.execute(sql`update integrations set handshake_until = now() + interval '1 hour', updated_at = now() where id = ${id}`)
  return find(db, id)
}

interface Signing {
  /** Replaces all secrets; several are valid at the same time during a rotation. */
  secrets?: string[] | undefined
  requires_signature?: boolean | undefined
}

/** In a transaction, so that a refused edit is not stored. */
export async function setSigning(
  db: Database,
  vault: Vault,
  id: number,
  { secrets, requires_signature }: Signing,
): Promise<Integration> {
  await db.execute(sql`
    update integrations set updated_at = now(),
      secrets_sealed = coalesce(${secrets === undefined ? null : sealSecrets(vault, id, secrets)}::text[], secrets_sealed),
      requires_signature = coalesce(${requires_signature ?? null}::boolean, requires_signature)
    where id = ${id}`)
  const set = await find(db, id)
  if (set.requires_signature && set.secrets === 0) throw noSecret()
  return set
}

const noSecret = () =>
  invalidParameter('requires_signature', 'needs a signing secret: without one every delivery would be refused')
