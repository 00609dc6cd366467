import { randomBytes } from 'node:crypto'
import { ID_MAX } from '../contract/limits.ts'
import { isUuid } from '../contract/params.ts'
import { type Database, raw, sql } from '../db/database.ts'
import { REFERENCES } from '../domain/accounts/table-ownership.ts'
import { hasUuid, numberOf } from './columns.ts'
import type { Header, Row } from './export.ts'

/** Numbers that others may draw between reading a sequence and setting it. */
const SLACK = 1_000

/** Columns with lists of numbers: those of another account are dropped. */
const LISTS = {
  project_ids: 'projects',
  barred_account_ids: 'accounts',
  cleared_change_ids: 'changes',
  test_case_ids: 'test_cases',
  mentions: 'users',
}

/** Record types in deliveries and notifications. */
const NAMED: Record<string, string> = {
  change: 'changes',
  build_run: 'build_runs',
  builds: 'build_runs',
  asset: 'assets',
  approval: 'approvals',
  deployment: 'deployments',
  external_reference: 'external_references',
  breakage: 'breakages',
  task: 'tasks',
}
const tableNamed = (name: string) => NAMED[name] ?? NAMED[name.replace(/s$/, '')]

/**
 * Maps the numbers of a file to local ones. An empty service keeps them; elsewhere those of a table are shifted together, so that no map is
 * needed, however large the file.
 */
export class Remap {
  readonly #ranges: Header['tables']
  readonly #offsets: Map<string, number>
  readonly #salt: Buffer
  /** People who already had a login here keep their numbers. */
  readonly known = new Map<number, number>()

  constructor(ranges: Header['tables'], offsets: Map<string, number>) {
    this.#ranges = ranges
    this.#offsets = offsets
    // The end of a uuid is random: mixing in a salt keeps the order in time and avoids duplicates.
    this.#salt = offsets.get('accounts') === 0 ? Buffer.alloc(6) : randomBytes(6)
  }

  id(table: string, value: unknown): number | string {
    if (hasUuid(table)) return this.#uuid(value)
    const number = this.known.get(table === 'users' ? (value as number) : -1) ?? this.#shift(table, value)
    if (number === undefined) throw new Error(`${table} has no ${JSON.stringify(value)}`)
    return number
  }

  /** For a record that may be deleted: the database does not guarantee its number. */
  loose(table: string | undefined, value: unknown): number | string | null {
    try {
      return table === undefined || value === null
        ? null
        : this.id(table, typeof value === 'string' && !isUuid(value) ? Number(value) : value)
    } catch {
      return null
    }
  }

  /** Maps the numbers of a row, by the names of its columns. */
  row(table: string, row: Row): Row {
    for (const [name, value] of Object.entries(row)) {
      if (value === null) continue
      const target = REFERENCES[name]
      if (name === numberOf(table)) row[name] = this.#shift(table, value)
      else if (name === 'id') row.id = this.id(table, value)
      else if (target !== undefined && typeof value !== 'string') row[name] = this.#known(target) ? this.id(target, value) : null
      else if (target !== undefined && isUuid(value as string)) row[name] = this.id(target, value)
    }
    if (table === 'users' && this.known.has(row.id as number)) throw new Error('somebody is there twice')
    // A password login has the person's own number.
    if (table === 'logins' && row.provider_id === 'credential') row.provider_account_id = String(row.user_id)
    for (const [name, target] of Object.entries(LISTS))
      if (Array.isArray(row[name])) row[name] = row[name].map((id) => this.loose(target, id)).filter((id) => id !== null)
    if (Array.isArray(row.suspects)) row.suspects = row.suspects.map((suspect: Row) => this.#suspect(suspect))
    if (table === 'deliveries' && Array.isArray(row.records))
      row.records = row.records.map((record: Row) => ({ ...record, id: this.loose(tableNamed(String(record.type)), record.id) }))
    if (table === 'projects' && Array.isArray(row.approval_rules)) row.approval_rules = row.approval_rules.map(this.#rule)
    if (table === 'approvals') {
      if (row.rule) row.rule = this.#rule(row.rule as Row)
      for (const name of ['sign_offs', 'undone'])
        if (Array.isArray(row[name]))
          row[name] = row[name].map((one: Row) => ({ ...one, user_id: this.loose('users', one.user_id) }))
    }
    // Only the service that started a search continues it.
    if (table === 'bisections' && row.status === 'running') row.status = 'cancelled'
    if (table === 'breakage_history') row.detail = this.#named(row.detail as Row)
    if (table === 'saved_views') row.path = this.#path(String(row.path))
    if (table === 'notifications') {
      row.subject_id = String(this.loose(tableNamed(String(row.subject)), row.subject_id) ?? row.subject_id)
      row.path = this.#path(String(row.path))
    }
    return row
  }

  #known = (table: string) => table === 'users' || hasUuid(table) || this.#ranges[table]?.range != null

  #suspect = (suspect: Row): Row => ({
    ...suspect,
    change_id: this.loose('changes', suspect.change_id),
    user_id: this.loose('users', suspect.user_id),
  })

  /** The people who decide the stages of an approval rule. */
  #rule = (rule: Row): Row =>
    Array.isArray(rule.stages)
      ? {
          ...rule,
          stages: rule.stages.map((stage: Row) => ({
            ...stage,
            user_ids: (stage.user_ids as unknown[]).map((id) => this.loose('users', id)).filter((id) => id !== null),
          })),
        }
      : rule

  /** Ids in JSON, by the names that columns have. */
  #named = (detail: Row): Row =>
    Object.fromEntries(
      Object.entries(detail ?? {}).map(([name, value]) => [name, REFERENCES[name] ? this.loose(REFERENCES[name], value) : value]),
    )

  /** `/projects/7/builds/12` */
  #path = (path: string) =>
    path.replace(/^\/projects\/(\d+)(?:\/(\w+)\/(\d+))?/, (all, project, noun, id) => {
      const there = this.loose('projects', project)
      if (there === null) return all
      return `/projects/${there}${noun === undefined ? '' : `/${noun}/${this.loose(tableNamed(noun), id) ?? id}`}`
    })

  #shift(table: string, value: unknown): number | undefined {
    const range = this.#ranges[table]?.range
    const number = value as number
    if (!range || !Number.isSafeInteger(value) || number < range[0] || number > range[1]) return undefined
    return number + this.#offsets.get(table)!
  }

  #uuid(value: unknown): string {
    if (typeof value !== 'string' || !isUuid(value)) throw new Error(`${JSON.stringify(value)} is no uuid`)
    const end = Buffer.from(value.slice(-12), 'hex')
    return value.slice(0, -12) + Buffer.from(end.map((byte, i) => byte ^ this.#salt[i]!)).toString('hex')
  }
}

/** Reserves as many numbers of each table as the file has. */
export async function reserve(db: Database, tables: Header['tables']): Promise<Map<string, number>> {
  const offsets = new Map<string, number>()
  for (const [table, { range }] of Object.entries(tables)) {
    if (range === null) continue
    const [first, last] = range
    const { sequence, drawn, max } = (await db.one<{ sequence: string; drawn: number | null; max: number }>(sql`
      select s.name as sequence, p.last_value as drawn, least(p.max_value, ${ID_MAX}::bigint) as max
      from (select pg_get_serial_sequence(${table}, ${numberOf(table)}) as name) s
      left join pg_sequences p on p.schemaname || '.' || p.sequencename = s.name`))!
    const offset = (drawn ?? 0) < first ? 0 : drawn! + SLACK - first
    if (last + offset > max) throw new Error(`${table}: the numbers of this file do not fit in this service any more`)
    await db.execute(sql`select setval(${sequence}::regclass, ${last + offset})`)
    offsets.set(table, offset)
  }
  return offsets
}

/** Validates the number ranges of a file before anything is created. */
export function readRanges(tables: Header['tables']) {
  for (const [table, { range, columns }] of Object.entries(tables)) {
    const whole =
      range === null ||
      (Array.isArray(range) && range.length === 2 && range.every((n) => Number.isSafeInteger(n) && n > 0) && range[0] <= range[1])
    if (!whole || !Array.isArray(columns)) throw new Error(`export[0]: the numbers of ${table} are not readable`)
  }
}

export const columnList = (names: readonly string[]) => raw(names.map((name) => `"${name}"`).join(', '))
