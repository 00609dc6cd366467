import { MAX_LIMIT } from '../../contract/params.ts'

interface Pagination {
  limit: number
  has_more: boolean
  next_cursor?: string | null
}

/** A reply with its rows under their own name, and its pagination. */
export type Page = Record<string, unknown> & { pagination: Pagination }

/** Requests page after page until there are `limit` rows or no more; returns the first reply with all rows. */
export async function collect(
  ask: (query: { limit: number; cursor?: string }) => Promise<Page>,
  rows: string,
  limit: number,
): Promise<Page> {
  const first = await ask({ limit: Math.min(limit, MAX_LIMIT) })
  const all = [...(first[rows] as unknown[])]
  let { pagination } = first
  while (all.length < limit && pagination.has_more && pagination.next_cursor) {
    const cursor = pagination.next_cursor
    const next = await ask({ limit: Math.min(limit - all.length, MAX_LIMIT), cursor })
    // A search may have empty pages before it finds something; a service that repeats its cursor would keep us forever.
    if ((next[rows] as unknown[]).length === 0 && next.pagination.next_cursor === cursor) break
    all.push(...(next[rows] as unknown[]))
    pagination = next.pagination
  }
  return { ...first, [rows]: all, pagination }
}
