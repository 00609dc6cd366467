import { type Database, type Sql, sql } from '../../db/database.ts'
import { ANY_ACCOUNT } from '../accounts/every-account.ts'
import { record } from './audit-log.ts'
import { difference, SUBJECTS_OF_KINDS, type Subject, type SubjectKind, snapshot } from './subjects.ts'

const ofProject = (projects: Sql) => sql`select p.account_id from projects p where p.id in (${projects})`
const itself = (id: number) => sql`select ${id}::integer`

/** The accounts of a record, by kind. */
const ACCOUNTS = {
  account: itself,
  single_sign_on: itself,
  scim_token: itself,
  audit_stream: itself,
  failure_rules: itself,
  export: itself,
  user: (id) => sql`select m.account_id from account_members m where m.user_id = ${id}`,
  token: (id) => sql`
    select coalesce(t.account_id, m.account_id) from api_tokens t left join account_members m on m.user_id = t.user_id where t.id = ${id}`,
  project: (id) => ofProject(itself(id)),
  integration: (id) => sql`select i.account_id from integrations i where i.id = ${id}`,
  delivery: (id) => sql`select d.account_id from deliveries d where d.account_id = ${ANY_ACCOUNT} and d.id = ${id}`,
  ugs_token: (id) => sql`select u.account_id from ugs_tokens u where u.account_id = ${ANY_ACCOUNT} and u.id = ${id}`,
  webhook: (id) => sql`select d.account_id from destinations d where d.id = ${id} and d.kind = 'webhook'`,
} as const satisfies Record<string, (id: number) => Sql>

export type OperatedKind = keyof typeof ACCOUNTS

interface Operation {
  /** The command, as it was typed: `admin user promote`. */
  action: string
  kind: OperatedKind
  /** Undefined for a new record. */
  id: number | undefined
  /** More details for the entry. */
  after?: object
}

/**
 * Runs an operator's action and records it in every account it affects: those of the record before, and those after. In one transaction, if
 * `db` is one.
 */
export async function operated<T>(db: Database, { action, kind, id, after }: Operation, work: () => Promise<T>): Promise<T> {
  const subject: Subject | undefined = SUBJECTS_OF_KINDS[kind as SubjectKind]
  const look = async (id: number | undefined) =>
    id === undefined || !subject ? null : snapshot(subject, db, { [subject.id]: String(id) })
  const accounts = async (id: number | undefined) =>
    id === undefined
      ? []
      : (await db.rows<{ id: number }>(sql`select a.id from accounts a where a.id in (${ACCOUNTS[kind](id)})`)).map(
          (row) => row.id,
        )
  const [before, former] = [await look(id), await accounts(id)]
  const answer = await work()
  const about = id ?? (answer as { id?: number } | undefined)?.id
  const told = difference(before, await look(about))
  const touched = [...former, ...(await accounts(about))]
  await record(db, sql`select unnest(${touched}::integer[])`, {
    actor: 'operator',
    action,
    subject: `${kind}/${about ?? ''}`,
    before: told.before,
    after: after === undefined ? told.after : { ...told.after, ...after },
  })
  return answer
}

/** An action that affects every account. */
export const recordEverywhere = (db: Database, action: string) =>
  record(db, sql`select id from accounts`, { actor: 'operator', action })

interface Touched {
  account_ids: Set<number>
  project_ids: Set<number>
  user_ids: Set<number>
}

/** The accounts of a loaded world file. */
export const recordLoad = (db: Database, action: string, { account_ids, project_ids, user_ids }: Touched) =>
  record(
    db,
    sql`
      select unnest(${[...account_ids]}::integer[])
      union ${ofProject(sql`select unnest(${[...project_ids]}::integer[])`)}
      union select m.account_id from account_members m where m.user_id = any (${[...user_ids]}::integer[])`,
    { actor: 'operator', action },
  )
