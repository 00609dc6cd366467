import type { ShareInput } from '../../contract/bodies.ts'
import { accessBlocked, invalidParameter, notFound, sharingNotAllowed, tooManyShareLinks } from '../../contract/errors.ts'
import { INTEGER_MAX, SHARE_DAYS, SHARE_LINKS_MAX } from '../../contract/limits.ts'
import { isUuid } from '../../contract/params.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { SharePolicy } from '../../contract/sets.ts'
import { type Database, ofAccount, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { hashOf, newToken } from '../privacy/secrets.ts'
import { type Artifact, find } from './artifacts.ts'

type ShareLink = ReplyOf<'revokeShareLink'>

/** Below the service's own address. */
export const PATH = '/shared'

/** A lower limit of the account ends older links too. */
const expires = (daysMax: Sql) => sql`least(l.expires_at, l.created_at + make_interval(days => ${daysMax}))`

const shown = (expiresAt: Sql) => sql`
  l.id, a.build_run_id::text, l.artifact_id, a.name as artifact_name, l.user_id, iso(l.created_at) as created_at, iso(${expiresAt}) as expires_at`

const EXPIRES = expires(sql`p.share_days_max`)

/** The valid links `l` of artifacts `a`: whoever created one can still do so. */
const valid = (which: Sql) => sql`
  share_links l join artifacts a on a.account_id = l.account_id and a.id = l.artifact_id and a.completed_at is not null
  join project_access p on p.account_id = l.account_id and p.project_id = l.project_id and p.user_id = l.user_id
    and may_share(p.share_policy, p.account_role, p.project_role)
  where ${which} and ${EXPIRES} > now()`

const validOf = (db: Database, { account_id, project_id }: ProjectKey, buildId: number) =>
  db.rows<ShareLink>(sql`
    select ${shown(EXPIRES)} from ${valid(sql`l.account_id = ${account_id} and l.project_id = ${project_id} and a.build_run_id = ${buildId}`)}
    order by l.id desc`)

async function requireBuild(db: Database, { account_id, project_id }: ProjectKey, buildId: number | undefined): Promise<number> {
  const build = await db.one<{ id: number }>(sql`
    select id from build_runs where account_id = ${account_id} and project_id = ${project_id} and id = ${buildId ?? 0}`)
  if (!build) throw notFound('Build run')
  return build.id
}

/** How many days a link of the person may be valid, if they may create one. */
async function daysOf(db: Database, { account_id, project_id, user_id }: ProjectKey & { user_id: number }): Promise<number> {
  const found = (await db.one<{ policy: SharePolicy; days: number; allowed: boolean }>(sql`
    select p.share_policy as policy, p.share_days_max as days, may_share(p.share_policy, p.account_role, p.project_role) as allowed
    from project_access p where p.account_id = ${account_id} and p.project_id = ${project_id} and p.user_id = ${user_id}`))!
  if (!found.allowed) throw sharingNotAllowed(found.policy)
  return found.days
}

/** Newest first. */
export const list = async (db: Database, by: ProjectKey, buildId: number | undefined): Promise<ReplyOf<'listShareLinks'>> => ({
  share_links: await validOf(db, by, await requireBuild(db, by, buildId)),
})

/** The link is returned once. It names the account, so that a cluster finds its row on one server. */
export const create = (
  db: Database,
  by: ProjectKey & { user_id: number },
  buildId: number | undefined,
  { artifact_id, days }: ShareInput,
  site: string,
): Promise<ReplyOf<'createShareLink'>> =>
  db.transaction(async (db) => {
    const build = await requireBuild(db, by, buildId)
    const daysMax = await daysOf(db, by)
    if (days !== undefined && days > daysMax)
      throw invalidParameter('days', `must be at most ${daysMax}, the limit of this account`)
    // Two requests at once would both be the last one.
    await db.one(sql`select from build_runs where account_id = ${by.account_id} and id = ${build} for no key update`)
    const artifact =
      isUuid(artifact_id) &&
      (await db.one(sql`
        select from artifacts a where a.account_id = ${by.account_id} and a.build_run_id = ${build} and a.id = ${artifact_id}
          and a.completed_at is not null for key share`))
    if (!artifact) throw notFound('Artifact')
    if ((await validOf(db, by, build)).length >= SHARE_LINKS_MAX) throw tooManyShareLinks(SHARE_LINKS_MAX)
    const token = `${by.account_id.toString(36)}-${newToken()}`
    const { id } = (await db.one<{ id: number }>(sql`
      insert into share_links (account_id, project_id, artifact_id, hash, user_id, expires_at)
      values (${by.account_id}, ${by.project_id}, ${artifact_id}, ${hashOf(token)}, ${by.user_id},
        now() + make_interval(days => ${days ?? Math.min(SHARE_DAYS, daysMax)}))
      returning id`))!
    const [link] = (await validOf(db, by, build)).filter((link) => link.id === id)
    return { ...link!, url: `${site}${PATH}/${token}` }
  })

/** Anybody who may create one may revoke it: the next download with it is refused. */
export const revoke = (db: Database, by: ProjectKey, id: number | undefined): Promise<ShareLink> =>
  db.transaction(async (db) => {
    const link = await db.one<ShareLink>(sql`
      select ${shown(sql`l.expires_at`)} from share_links l join artifacts a on a.account_id = l.account_id and a.id = l.artifact_id
      where l.account_id = ${by.account_id} and l.project_id = ${by.project_id} and l.id = ${id ?? 0}`)
    if (!link) throw notFound('Share link')
    await db.execute(sql`delete from share_links where account_id = ${by.account_id} and id = ${link.id}`)
    return link
  })

/** The artifact of a link that is valid now; refused from an address that the account does not allow. */
export async function open(db: Database, token: string, address: string | null): Promise<Artifact | undefined> {
  const account = Number.parseInt(/^([0-9a-z]{1,6})-[0-9A-Za-z]{43}$/.exec(token)?.[1] ?? '', 36)
  if (!(account <= INTEGER_MAX)) return undefined
  const own = ofAccount(db, account)
  const link = await own.one<ProjectKey & { artifact_id: string; elsewhere: boolean }>(sql`
    select l.account_id, l.project_id, l.artifact_id,
      p.allowed_addresses is not null and not p.share_anywhere and not coalesce(${address}::inet <<= any (p.allowed_addresses), false) as elsewhere
    from ${valid(sql`l.account_id = ${account} and l.hash = ${hashOf(token)}`)}`)
  if (link?.elsewhere) throw accessBlocked('address')
  return link && find(own, link, link.artifact_id)
}
