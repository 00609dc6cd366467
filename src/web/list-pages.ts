import type { AppName } from '../contract/app/routes.ts'

/** One page of a list. */
export interface ListPage<Reply = unknown, Row = unknown> {
  reply: Reply
  rows: readonly Row[]
  /** The parameter of the next page. */
  next: string | number | undefined
  /** The version of the browser's data when it was requested. */
  version: number
}

export interface ListPages<P extends ListPage = ListPage> {
  pages: readonly P[]
  pageParams: readonly unknown[]
}

/** Counts invalidations, so that a page knows what changed after it; two could share a millisecond of the clock. */
let version = 0
const changedRecords = new Map<string, number>()
const changedLists = new Map<AppName | 'all', number>()
/** The limit for lists that have been open for days. */
const CHANGED_MAX = 10_000

export const currentVersion = () => version

/** Marks records as outdated on their pages. */
export function invalidateRecords(records: Iterable<string | number>) {
  version++
  for (const record of records) {
    changedRecords.delete(String(record))
    changedRecords.set(String(record), version)
    if (changedRecords.size > CHANGED_MAX) changedRecords.delete(changedRecords.keys().next().value!)
  }
}

/** Marks lists as outdated if it is unknown which records changed. */
export function invalidateLists(names: readonly (AppName | 'all')[]) {
  version++
  for (const name of names) changedLists.set(name, version)
}

type Row = Partial<Record<'id' | 'position' | 'cursor_key' | 'asset_id' | 'breakage_id', string | number | null>> & {
  builds?: { running: number }
}

/** A change does not list its builds: any build may affect it. */
export const ANY_BUILD = 'any build'

export const rowKey = (row: unknown): string => {
  const { id, position, cursor_key } = row as Row
  return String(id ?? position ?? cursor_key)
}

const hasChanged = (row: unknown, since: number) => {
  const { id, asset_id, breakage_id, builds } = row as Row
  const records = [id, asset_id, breakage_id, builds?.running ? ANY_BUILD : undefined]
  return records.some((record) => record != null && changedRecords.get(String(record))! > since)
}

const isCurrent = (name: AppName, { rows, version }: ListPage) =>
  Math.max(changedLists.get(name) ?? 0, changedLists.get('all') ?? 0) <= version && !rows.some((row) => hasChanged(row, version))

/** The page with this parameter, if nothing on it has changed since. New records are on the first page, so it is always loaded again. */
export function currentPage<P extends ListPage>(name: AppName, old: ListPages<P> | undefined, param: unknown): P | undefined {
  const at = old?.pageParams.indexOf(param) ?? -1
  const page = old?.pages[at]
  return at > 0 && page && isCurrent(name, page) ? page : undefined
}

/**
 * Merges a reloaded page with the existing ones, so that the next one keeps its parameter: rows that new ones pushed off the page stay,
 * rows that moved up from the next one stay there.
 */
export function mergePage<P extends ListPage>(fetched: P, old: ListPages<P> | undefined, param: unknown): P {
  const last = fetched.rows.at(-1)
  if (!old || last === undefined || fetched.next === undefined) return fetched
  const known = old.pageParams.indexOf(param)
  const places = old.pages.map(({ rows }) => new Map(rows.map((row, i) => [rowKey(row), i])))
  const found = places.findIndex((place) => place.has(rowKey(last)))
  if (found === -1) return fetched
  if (known === -1 || found <= known) {
    const { rows, next } = old.pages[found]!
    return { ...fetched, rows: [...fetched.rows, ...rows.slice(places[found]!.get(rowKey(last))! + 1)], next }
  }
  const later = places.slice(known + 1)
  const rows = fetched.rows.filter((row) => !later.some((place) => place.has(rowKey(row))))
  return { ...fetched, rows, next: old.pages[known]!.next }
}
