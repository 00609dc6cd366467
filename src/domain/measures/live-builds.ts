import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { converted } from '../../measures/units.ts'
import { CONFIGURATION, PLATFORM } from '../builds/builds.ts'
import type { Measure } from '../builds/measures.ts'
import { storeWord } from '../deployments/deployments.ts'
import { liveOn } from '../deployments/live.ts'
import type { Series } from './series.ts'

type Live = ReplyOf<'listMeasures'>['measures'][number]['live'][number]

export interface LiveBuild extends Omit<Live, 'value'> {
  job: string
  platform: string | null
  configuration: string | null
  measures: Measure[]
}

/** The build that is live on each track, the latest first. A track whose last deployment names no build has none. */
export const liveBuilds = (db: Database, { account_id, project_id }: ProjectKey): Promise<LiveBuild[]> =>
  db.rows(sql`
    select d.store, d.track, d.version, d.deployment_id, b.id::text as build_run_id, b.build_number, b.ci_job_name as job,
      ${PLATFORM} as platform, ${CONFIGURATION} as configuration, (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m) as measures
    from (
      select nullif(${storeWord}, 'custom') as store, nullif(d.track, '') as track, d.version, d.id as deployment_id, d.build_run_id,
        d.went_live_at, d.number
      from ${liveOn({ account_id: sql`${account_id}::integer`, project_id: sql`${project_id}::integer` })} d) d
    join build_runs b on b.account_id = ${account_id} and b.id = d.build_run_id
    where b.measures is not null
    order by d.went_live_at desc, d.number desc`)

/** The values of a series in the live builds of the same job and configuration: other builds differ for other reasons. */
export const liveValues = (builds: readonly LiveBuild[], { name, platform, configuration, unit, job }: Series): Live[] =>
  builds.flatMap(({ measures, job: builtBy, platform: builtFor, configuration: builtAs, ...live }) => {
    const same = measures.find((one) => one.name === name && (one.platform ?? builtFor) === platform)
    const value = same && converted(same.value, same.unit, unit)
    return value == null || builtBy !== job || builtAs !== configuration ? [] : [{ ...live, value }]
  })
