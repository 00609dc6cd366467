import { notFound } from '../contract/errors.ts'
import type { ProviderName } from '../contract/sets.ts'
import { type Database, type Sql, sql } from '../db/database.ts'
import { sealConfig, shownConfig } from './integration-config.ts'
import { hashOf, newWebhookToken, type Vault } from './secrets.ts'

export interface Integration {
  id: number
  project_id: number
  provider: ProviderName
  active: boolean
  /** How many signing secrets are set. */
  secrets: number
  config: Record<string, unknown>
  created_at: string
}

const select = (where: Sql) => sql`
  select i.id, i.project_id, i.provider, i.active, cardinality(i.secrets_sealed) as secrets, i.config, i.created_at
  from integrations i ${where} order by i.id`

const shown = (integration: Integration): Integration => ({ ...integration, config: shownConfig(integration.config) })

export const list = async (db: Database, projectId?: number): Promise<Integration[]> =>
  (await db.rows<Integration>(select(projectId === undefined ? sql`` : sql`where i.project_id = ${projectId}`))).map(shown)

export async function find(db: Database, id: number): Promise<Integration> {
  const integration = await db.one<Integration>(select(sql`where i.id = ${id}`))
  if (!integration) throw notFound('Integration')
  return shown(integration)
}

/** A new webhook token, and what is kept of it: a hash to find it by, the sealed value to show it again. */
export function mintToken(vault: Vault) {
  const webhook_token = newWebhookToken()
  return { webhook_token, token_hash: hashOf(webhook_token), token_sealed: vault.seal(webhook_token) }
}

const sealed = (vault: Vault, secrets: string[]) => secrets.map((secret) => vault.seal(secret))

export interface NewIntegration {
  project_id: number
  provider: ProviderName
  signing_secrets?: string[]
  config?: Record<string, unknown>
}

export async function create(
  db: Database,
  vault: Vault,
  { project_id, provider, signing_secrets = [], config = {} }: NewIntegration,
): Promise<Integration & { webhook_token: string }> {
  const { webhook_token, token_hash, token_sealed } = mintToken(vault)
  const row = await db.one<{ id: number }>(sql`
    insert into integrations (project_id, provider, token_hash, token_sealed, secrets_sealed, config)
    select p.id, ${provider}, ${token_hash}, ${token_sealed}, ${sealed(vault, signing_secrets)}, ${JSON.stringify(sealConfig(vault, config))}::jsonb
    from projects p where p.id = ${project_id} returning id`)
  if (!row) throw notFound('Project')
  return { ...(await find(db, row.id)), webhook_token }
}

/** An inactive integration's deliveries are refused; what it told before stays. */
export async function setActive(db: Database, id: number, active: boolean): Promise<Integration> {
  await db.count(sql`update integrations set active = ${active}, updated_at = now() where id = ${id} and active <> ${active}`)
  return find(db, id)
}

/** Replaces all signing secrets; several are accepted side by side while one takes over from another. */
export async function setSecrets(db: Database, vault: Vault, id: number, secrets: string[]): Promise<Integration> {
  await db.count(sql`update integrations set secrets_sealed = ${sealed(vault, secrets)}, updated_at = now() where id = ${id}`)
  return find(db, id)
}

/** Replaces the settings of the tool; what opens other servers is sealed. */
export async function setConfig(db: Database, vault: Vault, id: number, config: Record<string, unknown>): Promise<Integration> {
  const sealed = JSON.stringify(sealConfig(vault, config))
  await db.count(sql`update integrations set config = ${sealed}::jsonb, updated_at = now() where id = ${id}`)
  return find(db, id)
}
