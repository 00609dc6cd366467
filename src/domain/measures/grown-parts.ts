import type { GrownPart } from '../../contract/routes/measures.ts'
import { type Database, sql } from '../../db/database.ts'
import { type AssetSize, SIZES_MAX } from '../../measures/read-sizes.ts'
import { converted, isSize } from '../../measures/units.ts'
import type { Measure } from '../builds/measures.ts'

const NAMED_MAX = 3
/** Parts that explain less of the growth than this are not named. */
const SHARE_MIN = 0.1

interface Build {
  id: string
  measures: Measure[] | null
  sizes: AssetSize[] | null
}

/** What grew most from one build to another: assets of the size list in their logs, otherwise parts of the measure, such as containers. */
export async function grownParts(
  db: Database,
  accountId: number,
  { name, unit }: { name: string; unit: string | null },
  sinceId: string,
  untilId: string,
): Promise<GrownPart[]> {
  const builds = await db.rows<Build>(sql`
    select b.id::text, (select json_agg(m.value) from jsonb_each(b.measures) m) as measures, s.sizes
    from build_runs b left join build_sizes s on s.account_id = b.account_id and s.build_run_id = b.id
    where b.account_id = ${accountId} and b.id in (${sinceId}::bigint, ${untilId}::bigint)`)
  const [before, after] = [sinceId, untilId].map((id) => builds.find((build) => build.id === id))
  if (!before || !after) return []
  const assets = isSize(unit) && before.sizes && after.sizes ? grown(before.sizes, after.sizes, SIZES_MAX) : []
  if (assets.length > 0) return assets.map((part) => ({ ...part, unit: 'bytes' }))
  const [old, now] = [partsOf(before, name, unit), partsOf(after, name, unit)]
  return grown(old, now, Number.POSITIVE_INFINITY).map((part) => ({ ...part, unit }))
}

const partsOf = ({ measures }: Build, whole: string, unit: string | null): AssetSize[] =>
  (measures ?? []).flatMap(({ name, value, unit: own }) => {
    const size = name.startsWith(`${whole}/`) ? converted(value, own, unit) : null
    return size === null ? [] : [[name.slice(whole.length + 1), size] as AssetSize]
  })

/** A list may show only its largest entries: one that was not in it had at most the size of its last entry. */
export function grown(before: readonly AssetSize[], after: readonly AssetSize[], max: number): Omit<GrownPart, 'unit'>[] {
  if (before.length === 0) return []
  const old = new Map(before)
  const hidden = before.length >= max ? Math.min(...before.map(([, size]) => size)) : 0
  const parts = after
    .map(([path, size]) => ({ path, before: old.get(path) ?? null, after: size, by: size - (old.get(path) ?? hidden) }))
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by)
  const total = parts.reduce((sum, { by }) => sum + by, 0)
  return parts
    .filter(({ by }) => by >= SHARE_MIN * total)
    .slice(0, NAMED_MAX)
    .map(({ path, before, after }) => ({ path, before, after }))
}
