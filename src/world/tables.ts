import { TASK_FIELD_NAMES } from '../contract/task-fields.ts'
import { type Database, join, raw, type Sql, sql } from '../db/database.ts'
import { kept } from '../domain/builds/logs.ts'

/** The columns a world file can fill; parents before children. */
const COLUMNS = {
  accounts: `id name plan timezone trial_ends_at payment_method demo credits daily_limit members_see_projects uses_language_model token_days_max retention share_policy share_days_max share_anywhere
    created_at updated_at`,
  users: 'id email name default_account_id created_at updated_at',
  account_members: 'account_id user_id role',
  connected_accounts: 'user_id provider uid created_at',
  logins: 'user_id provider_id provider_account_id password',
  projects:
    'id account_id name engine status approval_rules measure_budgets path_owners test_gate agent_prices created_at updated_at',
  project_members: 'account_id project_id user_id project_role',
  agent_mutes: 'account_id project_id agent reason muted_until user_id muted_at',
  api_tokens: 'id user_id name prefix hash scopes created_via expires_at revoked_at created_at',
  integrations:
    'id account_id project_id provider active token_hash token_sealed secrets_sealed requires_signature config every_place created_at updated_at',
  integration_places: 'account_id integration_id place confirmed',
  changes: `id account_id project_id identifier source_type author author_user_id description timestamp orphaned_at files
    url file_url created_at updated_at`,
  change_branches: 'account_id project_id branch change_id tool_position arrived_at',
  build_runs: `id account_id project_id integration_id status build_type target_type ci_job_name build_number commit_hash changelist
    branch kind shelf pull_request head_repository target_branch url phase platform configuration inferred_platform inferred_configuration agent measures duration_seconds started_at finished_at output_log artifacts created_at updated_at`,
  assets: 'id account_id project_id name path asset_type approval_status version size_bytes last_change_id created_at updated_at',
  approvals: `id account_id project_id asset_id asset_name commit_sha approval_stage approval_type status approver_user_id comments
    asset_version asset_type level decided_at created_at updated_at`,
  deployments: `id account_id project_id integration_id platform store track status branch version external_id external_build_id build_run_id
    submitted_at deployed_at live_at created_at updated_at`,
  destinations: 'id account_id kind name room secret_sealed status created_at updated_at',
  channel_rules: 'account_id channel_id project_id subject branch job category hours here quiet_from quiet_until',
  breakages: `id account_id project_id fingerprint branch state flaky category confidence cause suggested_fix evidence suspects jobs platforms build_count
    first_build_run_id last_build_run_id last_good_change_id first_bad_change_id owner_user_id claimed_at muted_until fixed_by_change_id
    fixed_at opened_at first_opened_at occurrence last_seen_at updated_at`,
  breakage_builds: 'account_id breakage_id build_run_id occurrence',
  breakage_occurrences: `account_id project_id breakage_id number opened_at first_build_run_id build_count last_good_change_id
    first_bad_change_id suspects flickering owner_user_id claimed_at fixed_at fixed_by_change_id`,
  bisections: `account_id project_id breakage_id occurrence job branch status suspects failures found_change_id probability reason user_id
    started_at finished_at`,
  corrections: 'id account_id project_id build_run_id line line_text category cause cleared_change_ids user_id corrected_at',
  breakage_history: 'account_id breakage_id kind at',
  tasks: `id account_id project_id ${TASK_FIELD_NAMES.join(' ')} created_at updated_at`,
  task_changes: 'account_id task_id change_id',
  task_build_runs: 'account_id task_id build_run_id',
  task_deployments: 'account_id task_id deployment_id',
  comments: `id account_id project_id task_id build_run_id breakage_id change_id asset_id deployment_id asset_version point_x point_y user_id body created_at
    updated_at`,
}
export type Table = keyof typeof COLUMNS
export const TABLES = Object.keys(COLUMNS)
type Stored = Record<string, unknown>

/** Rows to insert, and the file entry of each. */
export class Batch {
  readonly #rows = new Map<Table, { rows: Stored[]; origins: string[] }>()

  put(table: Table, row: Stored, origin: string) {
    const held = this.#rows.get(table) ?? { rows: [], origins: [] }
    this.#rows.set(table, held)
    held.rows.push(row)
    held.origins.push(origin)
  }

  /** Tables in the order of their first row: a parent is always added before its children. */
  async write(db: Database, insert: Insertions) {
    for (const [table, { rows, origins }] of this.#rows)
      try {
        await db.execute(insert[table](JSON.stringify(rows)))
      } catch (error) {
        throw explained(error, table, rows, origins)
      }
  }
}

/** Columns with a default in which null has a meaning. */
const NULLABLE = new Set(['accounts.credits'])

/** Missing values get the column's default. */
export type Insertions = Record<Table, (rows: string) => Sql>

export async function prepareInsertions(db: Database): Promise<Insertions> {
  const defaults = await db.rows<{ place: string; value: string }>(sql`
    select c.relname || '.' || a.attname as place, pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
    join pg_class c on c.oid = d.adrelid
    where c.oid = any (select to_regclass(name) from unnest(${TABLES}::text[]) name)`)
  const values = new Map(defaults.map(({ place, value }) => [place, value]))
  const entries = Object.entries(COLUMNS).map(([table, list]) => {
    const columns = list.split(/\s+/)
    const selected = columns.map((column) => {
      if (column === 'output_log') return kept(raw('r.output_log'))
      const value = NULLABLE.has(`${table}.${column}`) ? undefined : values.get(`${table}.${column}`)
      return raw(value === undefined ? `r.${column}` : `coalesce(r.${column}, ${value})`)
    })
    const head = sql`insert into ${raw(table)} (${join(columns.map((column) => raw(column)))}) select ${join(selected)}`
    return [table, (rows: string) => sql`${head} from json_populate_recordset(null::${raw(table)}, ${rows}::json) r`]
  })
  return Object.fromEntries(entries)
}

/** PostgreSQL reports duplicate values; the file's author wants to know where. */
function explained(error: unknown, table: Table, rows: Stored[], origins: string[]): Error {
  const { code, detail = '', message } = error as { code?: string; detail?: string; message: string }
  const twice = code === '23505' ? /^Key \((.*?)\)=\((.*)\) already exists/s.exec(detail) : null
  if (!twice) return code?.match(/^2[23]/) ? new Error(`${table}: ${message}`, { cause: error }) : (error as Error)
  const columns = twice[1]!.replace(/lower\((\w+)\)/g, '$1').split(', ')
  const index = rows.findLastIndex((row) => columns.map((column) => row[column]).join(', ') === twice[2])
  // Authors of files name the project; its account follows from that.
  const [shown, values] = columns[0] === 'account_id' ? [columns.slice(1), twice[2]!.replace(/^\d+, /, '')] : [columns, twice[2]!]
  return new Error(`${origins[index] ?? table}: ${shown.join(', ')} = ${oneLine(values)} exists already`, { cause: error })
}

const oneLine = (text: string) => text.slice(0, 200).replace(/\s+/g, ' ')
