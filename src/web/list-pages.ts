import type { AppName } from '../contract/app/routes.ts'

/** One page of a list that goes on. */
export interface ListPage<Reply = unknown, Row = unknown> {
  reply: Reply
  rows: readonly Row[]
  /** What the page behind it is asked with. */
  next: string | number | undefined
  /** The version of what the browser knows, when it was asked for. */
  version: number
}

export interface ListPages<P extends ListPage = ListPage> {
  pages: readonly P[]
  pageParams: readonly unknown[]
}

/** Counts invalidations, so that a page can tell what changed after it; by the clock two might share a millisecond. */
let version = 0
const changedRecords = new Map<string, number>()
const changedLists = new Map<AppName | 'all', number>()
/** Lists that have been open for days do not remember more than this. */
const CHANGED_MAX = 10_000

export const currentVersion = () => version

/** These records are no longer what pages show of them. */
export function invalidateRecords(records: Iterable<string | number>) {
  version++
  for (const record of records) {
    changedRecords.delete(String(record))
    changedRecords.set(String(record), version)
    if (changedRecords.size > CHANGED_MAX) changedRecords.delete(changedRecords.keys().next().value!)
  }
}

/** Nobody knows which records of these lists changed. */
export function invalidateLists(names: readonly (AppName | 'all')[]) {
  version++
  for (const name of names) changedLists.set(name, version)
}

type Row = Partial<Record<'id' | 'position' | 'cursor_key' | 'asset_id' | 'breakage_id', string | number | null>> & {
  builds?: { running: number }
}

/** A change does not say which builds run for it: any may change it. */
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

/**
 * The page that was asked with this, where nothing on it has changed since. New records come to the first page, so that it is asked for
 * each time.
 */
export function currentPage<P extends ListPage>(name: AppName, old: ListPages<P> | undefined, param: unknown): P | undefined {
  const at = old?.pageParams.indexOf(param) ?? -1
  const page = old?.pages[at]
  return at > 0 && page && isCurrent(name, page) ? page : undefined
}

/**
 * Fits a page that was asked anew between those that are there, so that the next one is still asked with what it was asked with: rows
 * that new ones pushed off the page stay, rows that moved up from the next one stay there.
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
