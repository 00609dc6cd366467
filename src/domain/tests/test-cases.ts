import type { Static } from 'typebox'
import type { TestCase } from '../../contract/routes/test-shapes.ts'
import type { TestOutcome } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'

export type ShownCase = Static<typeof TestCase>

/** The columns of a case `c` of the report `r`. */
export const CASE = sql`c.id::text, r.ci_job_name, nullif(r.name, '') as report, nullif(r.platform, '') as platform, nullif(r.rhi, '') as rhi,
  c.suite, c.class, c.name`

export const isFailing = (outcome: TestOutcome | undefined): boolean => outcome === 'failed' || outcome === 'error'

/** Where a case is: its report, and its number there. */
export interface CasePlace {
  report_id: number
  number: number
}

/** The places with the names of their cases, in the same order. */
export async function withNames<Place extends CasePlace>(
  db: Database,
  { account_id, project_id }: ProjectKey,
  places: readonly Place[],
): Promise<(Omit<Place, keyof CasePlace> & ShownCase)[]> {
  if (places.length === 0) return []
  const rows = await db.rows<CasePlace & { shown: ShownCase }>(sql`
    select c.test_report_id as report_id, c.number, (select row_to_json(x) from (select ${CASE}) x) as shown
    from unnest(${places.map(({ report_id }) => report_id)}::bigint[], ${places.map(({ number }) => number)}::integer[]) w (report_id, number)
    join test_cases c on c.account_id = ${account_id} and c.test_report_id = w.report_id and c.number = w.number
    join test_reports r on r.account_id = c.account_id and r.id = c.test_report_id
    where c.project_id = ${project_id}`)
  const keyOf = ({ report_id, number }: CasePlace) => `${report_id} ${number}`
  const named = new Map(rows.map((row) => [keyOf(row), row.shown]))
  return places.flatMap((place) => {
    const shown = named.get(keyOf(place))
    const { report_id: _, number: __, ...more } = place
    return shown ? { ...more, ...shown } : []
  })
}
