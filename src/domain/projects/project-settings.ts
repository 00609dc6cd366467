import { randomBytes } from 'node:crypto'
import type { AppBody, AppReply } from '../../contract/app/routes.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { ProjectRole } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { rulesOf, typesOf } from '../assets/approval-rules.ts'
import { checkRules } from '../assets/check-rules.ts'
import { unmatched } from '../branches/branch-patterns.ts'

type Settings = AppReply<'showProjectSettings'>

const select = (where: Sql) => sql`
  select id, account_id, name, engine, status, p.approval_rules, required_jobs, job_patterns, path_owners, test_gate, agent_prices, badge_key, investigates_failures, bisect_builds_per_day, assignment, created_at
  from projects p ${where} order by id`

type Stored = Omit<Settings, 'unmatched_patterns' | 'approval_types'>

/** For operators: all, or those of an account. */
export const list = (db: Database, accountId?: number): Promise<Stored[]> =>
  db.rows(select(accountId === undefined ? sql`` : sql`where account_id = ${accountId}`))

export async function show(db: Database, id: number): Promise<Settings> {
  const settings = await db.one<Stored>(select(sql`where id = ${id}`))
  if (!settings) throw notFound('Project')
  const owner = { account_id: settings.account_id, project_id: id }
  const rules = [...settings.required_jobs, ...(settings.approval_rules ?? [])]
  const patterns = rules.map(({ branch }) => branch).filter(Boolean)
  return {
    ...settings,
    approval_types: typesOf(settings.approval_rules),
    unmatched_patterns: await unmatched(db, owner, patterns),
  }
}

/** The creator is the first member and leads the project. No approvals are needed until they choose a rule. */
export const create = (
  db: Database,
  accountId: number,
  userId: number,
  { name, engine }: AppBody<'createProject'>,
): Promise<Settings> =>
  db.transaction(async (db) => {
    const { id } = (await db.one<{ id: number }>(sql`
      insert into projects (account_id, name, engine, approval_rules)
      values (${accountId}, ${name.trim()}, ${engine.trim().toLowerCase()}, '[]') returning id`))!
    await db.execute(sql`
      insert into project_members (account_id, project_id, user_id, project_role) values (${accountId}, ${id}, ${userId}, 'lead')`)
    return show(db, id)
  })

export async function edit(db: Database, id: number, input: AppBody<'editProject'>): Promise<Settings> {
  const before = await show(db, id)
  const {
    name,
    engine,
    status,
    required_jobs,
    job_patterns,
    path_owners,
    test_gate,
    agent_prices,
    investigates_failures,
    bisect_builds_per_day,
    assignment,
  } = {
    ...before,
    ...input,
  }
  const given =
    input.approval_rules === undefined && input.approval_types !== undefined
      ? rulesOf(input.approval_types)
      : input.approval_rules
  const rules = given === undefined ? before.approval_rules : given
  if (given !== undefined) await checkRules(db, { account_id: before.account_id, project_id: id }, given)
  const badge_key = input.badge === undefined ? before.badge_key : input.badge ? (before.badge_key ?? newBadgeKey()) : null
  await db.execute(sql`
    update projects set name = ${name.trim()}, engine = ${engine.trim().toLowerCase()}, status = ${status},
      approval_rules = ${rules && JSON.stringify(rules)}::jsonb, required_jobs = ${JSON.stringify(required_jobs)}::jsonb,
      job_patterns = ${JSON.stringify(job_patterns)}::jsonb, path_owners = ${path_owners},
      test_gate = ${JSON.stringify(test_gate)}::jsonb,
      agent_prices = ${agent_prices && JSON.stringify(agent_prices)}::jsonb, badge_key = ${badge_key},
      investigates_failures = ${investigates_failures}, bisect_builds_per_day = ${bisect_builds_per_day},
      assignment = ${JSON.stringify(assignment)}::jsonb, updated_at = now() where id = ${id}`)
  return show(db, id)
}

/** Impossible to guess; people who have it can see the badge until it is disabled. */
const newBadgeKey = () => randomBytes(16).toString('base64url')

/** Only owners and admins of the account see addresses; a project lead could otherwise add anybody to learn theirs. */
export const people = (
  db: Database,
  { account_id, project_id }: ProjectKey,
  withAddresses: boolean,
): Promise<AppReply<'listProjectPeople'>['members']> =>
  db.rows(sql`
    select u.id as user_id, u.name, case when ${withAddresses} then u.email end as email, m.project_role, m.created_at
    from project_members m join users u on u.id = m.user_id
    where m.account_id = ${account_id} and m.project_id = ${project_id} order by u.name, u.id`)

/** People with access to the project; without `unlisted` only listed members, which is what a guest can see. */
export const assignees = (
  db: Database,
  { account_id, project_id }: ProjectKey,
  unlisted: boolean,
): Promise<AppReply<'listAssignees'>['people']> =>
  db.rows(sql`
    select u.id as user_id, u.name from project_access a join users u on u.id = a.user_id
    where a.account_id = ${account_id} and a.project_id = ${project_id}
      and (${unlisted} or exists (
        select from project_members m where m.account_id = a.account_id and m.project_id = a.project_id and m.user_id = a.user_id))
    order by u.name, u.id`)

/** Only members of the account can be listed. */
export async function setMember(db: Database, { account_id, project_id }: ProjectKey, userId: number, role: ProjectRole) {
  const set = await db.execute(sql`
    insert into project_members (account_id, project_id, user_id, project_role)
    select p.account_id, p.id, m.user_id, ${role} from projects p join account_members m on m.account_id = p.account_id and m.user_id = ${userId}
    where p.account_id = ${account_id} and p.id = ${project_id}
    on conflict (account_id, project_id, user_id) do update set project_role = excluded.project_role`)
  if (set === 0) throw invalidParameter('user_id', 'must be a member of the account')
}

export async function removeMember(db: Database, { account_id, project_id }: ProjectKey, userId: number) {
  const removed = await db.execute(sql`
    delete from project_members where account_id = ${account_id} and project_id = ${project_id} and user_id = ${userId}`)
  if (removed === 0) throw notFound('Member')
}
