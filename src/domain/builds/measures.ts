import { buildPlatformOf, MEASURE_NAME_MAX, MEASURES_MAX } from '../../contract/spellings/build-dimensions.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import type { LogMeasure } from '../../measures/log-measure.ts'
import { readMeasures } from '../../measures/read-measures.ts'

/** A named number of a build: the bytes of a package, the seconds of a cook. */
export interface Measure {
  name: string
  value: number
  unit: string | null
  platform: string | null
}

const keyOf = ({ name, platform }: Measure) => JSON.stringify([name, platform])

/** The key of a measure that was read from the log: a report replaces it. */
export const logKeyOf = (measure: Measure) => `log ${keyOf(measure)}`

/** As stored in the column: a later measure replaces the one with the same name and platform. */
export const byName = (measures: readonly Measure[]): Record<string, Measure> =>
  Object.fromEntries(measures.map((one) => [keyOf(one), one]))

const measureOf = ({ name, unit, value, platform, part }: LogMeasure): Measure => ({
  name: (part === null || part === 'TOTAL' ? name : `${name}/${part}`).slice(0, MEASURE_NAME_MAX).toWellFormed(),
  value,
  unit: unit || null,
  platform: platform && buildPlatformOf(platform),
})

/** Stores the measures that the log of a passed build prints. Those of a report take priority; earlier ones of the log are replaced. */
export async function storeLogMeasures(db: Database, { account_id, id }: RecordKey, log: string) {
  const found = readMeasures(log).map(measureOf)
  const read = Object.fromEntries(found.slice(0, MEASURES_MAX).map((one) => [logKeyOf(one), one]))
  const merged = sql`(select jsonb_object_agg(key, value) from (
    select key, value from (
      select key, value, 0 as rank from jsonb_each(coalesce(b.measures, '{}')) where key not like 'log %'
      union all
      select key, value, 1 from jsonb_each(${JSON.stringify(read)}::jsonb)
      where not coalesce(b.measures, '{}') ? substr(key, ${'log '.length + 1})) known
    order by rank, key limit ${MEASURES_MAX}) kept)`
  await db.execute(sql`
    update build_runs b set measures = ${merged}, updated_at = now()
    where account_id = ${account_id} and id = ${id} and b.measures is distinct from ${merged}`)
}
