import { notFound } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { Vault } from '../privacy/secrets.ts'
import { editConfig } from './config.ts'
import { mintToken, tokenOf } from './integrations.ts'

/** An integration of another project is not found. */
export async function requireIn(db: Database, projectId: number, id: number): Promise<{ provider: ProviderName }> {
  const found = await db.one<{ provider: ProviderName }>(
    sql`select provider from integrations where id = ${id} and project_id = ${projectId} and deleted_at is null`,
  )
  if (!found) throw notFound('Integration')
  return found
}

export async function showToken(db: Database, vault: Vault, id: number): Promise<string> {
  const row = await db.one<{ token_sealed: string }>(sql`select token_sealed from integrations where id = ${id}`)
  if (!row) throw notFound('Integration')
  return vault.open(row.token_sealed, tokenOf(id))
}

/** Revokes the old token at once. `by`: the person who sees the new one. */
export async function rotateToken(db: Database, vault: Vault, id: number, by: number | null = null) {
  const { token_hash, token_sealed } = mintToken(vault, id)
  await db.execute(sql`
    update integrations set token_hash = ${token_hash}, token_sealed = ${token_sealed}, created_by_user_id = ${by}, updated_at = now()
    where id = ${id}`)
}

/** Settings are replaced as a whole; a secret that is sent back as it was shown is kept. */
export const setConfig = (db: Database, vault: Vault, id: number, config: Record<string, unknown>) =>
  db.transaction(async (db) => {
    const row = await db.one<{ config: Record<string, unknown> }>(
      sql`select config from integrations where id = ${id} and deleted_at is null for no key update`,
    )
    if (!row) throw notFound('Integration')
    const edited = JSON.stringify(editConfig(vault, id, row.config, config))
    await db.execute(sql`update integrations set config = ${edited}::jsonb, updated_at = now() where id = ${id}`)
  })
