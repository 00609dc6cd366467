import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AGING, makeOwners } from '../../test/support/aging.ts'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { type Sql, sql } from '../db/database.ts'
import { RETENTION_DEFAULTS, type Retained } from '../domain/accounts/retention-days.ts'
import { Vault } from '../domain/privacy/secrets.ts'
import { allowedHosts } from '../net/addresses.ts'
import { startWorker, type Worker } from './worker.ts'

const DAYS = 10
const kinds = Object.keys(RETENTION_DEFAULTS) as Retained[]
const retention = Object.fromEntries(kinds.map((kind) => [kind, DAYS])) as Record<Retained, number>
const old = sql`now() - interval '400 days'`

/** What no setting keeps longer. */
const EXPIRED: Record<string, { fill: Sql; left: Sql }> = {
  sessions: {
    fill: sql`insert into sessions (user_id, token, expires_at) values (1, 'old', ${old})`,
    left: sql`select from sessions`,
  },
  verifications: {
    fill: sql`insert into verifications (identifier, value, expires_at) values ('a', 'b', ${old})`,
    left: sql`select from verifications`,
  },
  oauth_codes: {
    fill: sql`
      insert into oauth_codes (hash, user_id, code_challenge, client_name, scopes, expires_at)
      values (${Buffer.alloc(32)}, 1, '', '', '{}', ${old})`,
    left: sql`select from oauth_codes`,
  },
  idempotency_keys: {
    fill: sql`
      with token as (insert into api_tokens (user_id, name, hash, prefix, scopes, created_via)
        values (1, 'ci', ${Buffer.alloc(32)}, 'gm_00000', '{}', 'admin') returning id)
      insert into idempotency_keys (token_id, key, body_hash, created_at) select id, 'a', ${Buffer.alloc(32)}, ${old} from token`,
    left: sql`select from idempotency_keys`,
  },
  refresh_tokens: {
    fill: sql`
      with token as (insert into api_tokens (user_id, name, hash, prefix, scopes, created_via)
        values (1, 'mcp', ${Buffer.alloc(32, 1)}, 'gm_00001', '{}', 'mcp') returning id)
      insert into refresh_tokens (hash, token_id, assistant_id, expires_at) select ${Buffer.alloc(32)}, id, 'a', ${old} from token`,
    left: sql`select from refresh_tokens`,
  },
  oauth_clients: {
    fill: sql`insert into oauth_clients (id, name, redirect_uris, registered_at) values ('a', 'A', '{}', ${old})`,
    left: sql`select from oauth_clients`,
  },
}

let own: TestDatabase
let worker: Worker | undefined
beforeAll(async () => {
  own = await createDatabase()
  await makeOwners(own.db)
})
afterAll(async () => {
  await worker?.stop()
  await own.drop()
})

test('due rows of every kind are purged on schedule', async () => {
  const { db } = own
  for (const kind of kinds) await db.execute(AGING[kind].fill(1, old))
  for (const { fill } of Object.values(EXPIRED)) await db.execute(fill)
  // Unnumbered rows of the builds above are new.
  await db.execute(sql`delete from outbox where position is null`)
  const gone = [...kinds.map((kind) => AGING[kind].left), ...Object.values(EXPIRED).map(({ left }) => left)]
  for (const left of gone) expect(await db.rows(left)).not.toEqual([])
  const context = {
    db,
    vault: new Vault('a key of these tests'),
    log: pino({ level: 'silent' }),
    allowed: allowedHosts([]),
    site: 'https://gold.example',
  }
  worker = await startWorker({ ...context, retention })
  // Makes all recurring work due.
  await db.execute(sql`update jobs set run_at = now() where slot is not null`)
  for (const left of gone) await until(async () => (await db.rows(left)).length === 0)
})
