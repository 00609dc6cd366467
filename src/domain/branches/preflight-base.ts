import { type Sql, sql } from '../../db/database.ts'
import { BRANCH, namedOn } from './positions.ts'

/** The branch that a preflight `b` is for; empty if unknown. */
export const TARGET = sql`coalesce(nullif(branch_key(b.target_branch), ''), case when b.pull_request = '' then ${BRANCH} else '' end)`

/** Changes may arrive in another order than their positions: the newest of the last ones is the head. */
const HEAD_LOOK = sql`50`

const headAt = (time: Sql) => sql`(
  select max(h.position) from (
    select p.position from change_branches p where p.account_id = b.account_id and p.project_id = b.project_id and p.branch = ${TARGET}
      and p.orphaned_at is null and p.arrived_at <= ${time}
    order by p.arrived_at desc, p.position desc limit ${HEAD_LOOK}) h)`

/** A shelf is built on the changelist that its build names. */
const NAMED = sql`(
  select max(p.position) from changes c join change_branches p on p.account_id = c.account_id and p.change_id = c.id and p.branch = ${TARGET}
  where b.shelf <> '' and b.changelist <> b.shelf and c.account_id = b.account_id and c.project_id = b.project_id and c.identifier = nullif(b.changelist, ''))`

/**
 * The positions on its target branch of which one is the base that a preflight `b` was built on: its head when the build started, or what
 * arrived until the build ended. Null if unknown.
 */
export const baseOf = sql`
  select coalesce(${NAMED}, ${headAt(sql`b.created_at`)}) as earliest,
    coalesce(${NAMED}, ${headAt(sql`coalesce(b.finished_at, b.created_at)`)}) as latest`

/**
 * Whether the preflight `b` has the breakage `k` from its base, which is `base`: the branch failed with it at the base or before, and at the
 * base or after it. A range with the preflight's own commit counts only if another change of it is the named suspect.
 */
export const HAS_FROM_BASE = sql`(
  select case
    when k.branch is null or k.first_bad_change_id is null or k.flaky then k.opened_at <= b.created_at
    else coalesce(least(
        case when exists (
          select from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
          where p.account_id = k.account_id and p.project_id = k.project_id and p.branch = k.branch and c.identifier = b.commit_hash
            and p.position > coalesce(good.position, 0) and p.position <= bad.position) then null else bad.position end,
        suspect.position) <= base.earliest
      and last.position >= base.latest, false) end
  from (select) one
  left join change_branches bad on bad.account_id = k.account_id and bad.project_id = k.project_id and bad.branch = k.branch
    and bad.change_id = k.first_bad_change_id
  left join change_branches good on good.account_id = k.account_id and good.project_id = k.project_id and good.branch = k.branch
    and good.change_id = k.last_good_change_id
  left join lateral (
    select p.position from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
    where p.account_id = k.account_id and p.project_id = k.project_id and p.branch = k.branch
      and p.change_id = (named_suspect(k.suspects) ->> 'change_id')::bigint and c.identifier <> b.commit_hash) suspect on true
  left join lateral (
    select ${namedOn(BRANCH)} as position from build_runs b where b.account_id = k.account_id and b.id = k.last_build_run_id) last on true)`
