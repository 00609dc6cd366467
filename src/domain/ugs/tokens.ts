import { notFound, noUgsToken } from '../../contract/errors.ts'
import type { ProjectStatus, ReadOnlyReason } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { ANY_ACCOUNT } from '../accounts/every-account.ts'
import { lockProject } from '../branches/project-lock.ts'
import { hashOf, newScannableToken } from '../privacy/secrets.ts'

interface Token {
  id: number
  project_id: number
  name: string
  prefix: string
  revoked_at: string | null
  created_at: string
}

/** Earlier builds that get a badge with the first token: more than a client shows. */
const KNOWN_BUILDS = 5_000

/** The part of a token that is shown: its kind and eight characters. */
const PREFIX = 'gm_ugs_'.length + 8

/** The value is returned once and not stored. */
export const create = (
  db: Database,
  projectId: number,
  name: string,
  /** Null: an operator. */
  by: number | null = null,
): Promise<Token & { token: string }> =>
  db.transaction(async (db) => {
    const token = newScannableToken('ugs')
    const made = await db.one<Token>(sql`
      insert into ugs_tokens (account_id, project_id, name, prefix, hash, created_by_user_id)
      select account_id, id, ${name}, ${token.slice(0, PREFIX)}, ${hashOf(token)}, ${by}::integer from projects where id = ${projectId}
      returning id, project_id, name, prefix, revoked_at, created_at`)
    if (!made) throw notFound('Project')
    await badgeKnownBuilds(db, projectId)
    return { ...made, token }
  })

/** From the first token on every build gets its badge. Build reports wait meanwhile, or one could be missed by both sides. */
async function badgeKnownBuilds(db: Database, projectId: number) {
  await lockProject(db, projectId)
  const first = await db.execute(sql`
    insert into ugs_sequences (account_id, project_id) select account_id, id from projects where id = ${projectId} on conflict do nothing`)
  if (first === 0) return
  await db.execute(sql`
    select ugs_badge_build(b.account_id, b.id) from (
      select account_id, id, changelist from build_runs where project_id = ${projectId} order by created_at desc, id desc limit ${KNOWN_BUILDS}) b
    where b.changelist <> ''`)
}

/** Newest first, without the values. */
export const list = (db: Database, projectId?: number): Promise<Token[]> =>
  db.rows(sql`
    select id, project_id, name, prefix, revoked_at, created_at from ugs_tokens
    where ${projectId ?? null}::integer is null or project_id = ${projectId ?? null}::integer order by created_at desc, id desc`)

/** Takes effect at once: the next request with it is refused. */
export async function revoke(db: Database, id: number, project?: ProjectKey) {
  const within = project
    ? sql`account_id = ${project.account_id} and project_id = ${project.project_id}`
    : sql`account_id = ${ANY_ACCOUNT}`
  const revoked = await db.execute(sql`
    update ugs_tokens set revoked_at = coalesce(revoked_at, now()) where ${within} and id = ${id}`)
  if (revoked === 0) throw notFound('Token')
}

/** The project of a token, and whether it accepts writes. */
export interface UgsAccess {
  token_id: number
  account_id: number
  project_id: number
  project_status: ProjectStatus
  read_only: ReadOnlyReason | null
}

/** Older tokens without a prefix stay valid. */
const WELL_FORMED = /^(?:gm_ugs_[0-9A-Za-z]{49}|[0-9A-Za-z]{43})$/

export async function open(db: Database, token: string | undefined): Promise<UgsAccess> {
  if (token === undefined || !WELL_FORMED.test(token)) throw noUgsToken()
  const access = await db.one<UgsAccess>(sql`
    select t.id as token_id, t.account_id, t.project_id, p.status as project_status,
      case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only
    from ugs_tokens t join projects p on p.id = t.project_id join accounts a on a.id = t.account_id
    where t.hash = ${hashOf(token)} and t.revoked_at is null`)
  if (!access) throw noUgsToken()
  return access
}
