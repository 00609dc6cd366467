import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { BuildBasis, Platform } from '../../contract/sets.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { buildsNumbered } from '../branches/build-names.ts'
import { IS_REGULAR, MAY_BE_SHIPPED } from '../branches/build-statuses.ts'
import { linkDeployment, unlinkDeployment } from '../tasks/links.ts'
import { type Candidate, type Choice, chooseBuild, type Evidence } from './choose-build.ts'
import { note } from './history.ts'

/** The fields of a deployment that decide its build. */
interface StoredDeployment extends Evidence {
  id: string
  number: number
  created_at: string
  account_id: number
  project_id: number
  integration_id: number | null
  platform: Platform
  store: string
  subject: string | null
  build_run_id: number | null
  build_basis: BuildBasis | ''
  /** A build first reported more than a day after the deployment was not shipped with it. */
  until: string
}

const known = sql`d.id, d.number, d.created_at, d.account_id, d.project_id, d.integration_id, d.platform, d.store, split_part(d.external_key, E'\n', 1) as subject,
  d.version, d.job_name, d.build_number, d.commit_hash, d.changelist, d.named_build_run_id, d.build_run_id, d.build_basis,
  d.created_at + interval '1 day' as until`

/** The greatest number of candidates: nobody could choose among more. */
const CANDIDATES_MAX = 50
/** How many passed builds are searched for an artifact of the version. */
const VERSIONS_LOOK = 200
/** How many of the store's last deployments determine its usual job. */
const USUAL_LOOK = 5
const STORE_LOOK = 200

/** The build of a deployment and how it was found, or the candidates. */
export async function explain(db: Database, project: ProjectKey, id: string): Promise<ReplyOf<'showDeploymentBuild'>> {
  const { build_run_id, candidates, ...how } = await explained(db, project, id)
  const shown = candidates.map(({ has_passed, is_good, has_version, id, ...build }) => ({ id: String(id), ...build }))
  return { build_run_id: build_run_id === null ? null : String(build_run_id), ...how, candidates: shown }
}

async function explained(db: Database, project: ProjectKey, id: string): Promise<Choice> {
  const deployment = await db.one<StoredDeployment>(
    sql`select ${known} from deployments d where d.account_id = ${project.account_id} and d.project_id = ${project.project_id} and d.id = ${id}`,
  )
  if (!deployment) throw notFound('Deployment')
  const { build_run_id, build_basis } = deployment
  const choice = await choose(db, deployment)
  if (build_run_id === null)
    return build_basis === 'person' ? { ...choice, build_run_id: null, basis: null, reason: 'removed' } : unmade(choice)
  const candidates = await db.rows<Candidate>(sql`select ${candidate(sql`false`)} from build_runs b
    where b.account_id = ${project.account_id} and b.id = ${build_run_id}`)
  return { build_run_id, basis: build_basis === '' ? null : build_basis, reason: null, candidates }
}

/** A world file may leave out links. */
const unmade = (choice: Choice): Choice =>
  choice.reason === null ? { ...choice, build_run_id: null, basis: null, reason: 'not_named' } : choice

/** Searches for the build of a deployment again, unless a person picked it or no report names one. */
export async function relink(db: Database, accountId: number, id: string): Promise<void> {
  const deployment = await db.one<StoredDeployment>(sql`
    select ${known} from deployments d where d.account_id = ${accountId} and d.id = ${id}`)
  if (!deployment) return
  const fallen = await isFallen(db, deployment)
  if (deployment.build_basis === 'person' && !fallen) return
  const { build_run_id, basis, reason } = await choose(db, deployment)
  if (reason !== 'not_named' || fallen) await setBuild(db, deployment, build_run_id, basis ?? '')
}

/** Whether the build turned out not to have passed: then even a link made by a person is removed. */
const isFallen = async (db: Database, { account_id, build_run_id }: StoredDeployment) =>
  build_run_id !== null &&
  (await db.one(
    sql`select from build_runs b where b.account_id = ${account_id} and b.id = ${build_run_id} and ${MAY_BE_SHIPPED}`,
  )) === undefined

interface Linked {
  id: string
  account_id: number
  project_id: number
  build_run_id: number | null
  build_basis: BuildBasis | ''
}

/** `userId`: the person who did it; null if it follows from reports. */
export async function setBuild(
  db: Database,
  deployment: Linked,
  buildId: number | null,
  basis: BuildBasis | '',
  userId: number | null = null,
  why = '',
) {
  const { id, account_id, build_run_id: before } = deployment
  if (before === buildId && deployment.build_basis === basis) return
  await db.execute(sql`
    update deployments set build_run_id = ${buildId}, build_basis = ${basis}, updated_at = now()
    where account_id = ${account_id} and id = ${id}`)
  if (before === buildId) return
  if (before !== null) await unlinkDeployment(db, account_id, id, before)
  await linkDeployment(db, account_id, id)
  await note(db, deployment, { kind: 'build', user_id: userId, build_run_id: buildId, note: why })
  if (isCertain(basis) || isCertain(deployment.build_basis)) await relinkLater(db, deployment)
}

/** The bases that determine a store's usual job. */
const CERTAIN: readonly (BuildBasis | '')[] = ['build_run', 'job', 'person']
const isCertain = (basis: BuildBasis | '') => CERTAIN.includes(basis)

/** The usual job of the store may have changed for the deployments after this one that name no job. */
async function relinkLater(db: Database, { account_id, id }: Linked) {
  const later = await db.rows<{ id: string }>(sql`
    select d.id from deployments this
    join deployments d on d.account_id = this.account_id and d.project_id = this.project_id and d.platform = this.platform and d.store = this.store
      and (d.created_at, d.number) > (this.created_at, this.number) and d.job_name = '' and d.build_basis <> all (${CERTAIN}::text[])
    where this.account_id = ${account_id} and this.id = ${id} order by d.id limit ${STORE_LOOK} for update of d`)
  for (const one of later) await relink(db, account_id, one.id)
}

/** After builds finished or were corrected: links the deployments that may have shipped them. */
export async function relinkToAll(
  db: Database,
  { account_id, project_id }: ProjectKey,
  builds: readonly { id: number; hasArtifacts: boolean }[],
) {
  if (builds.length === 0) return
  // Most builds are shipped by none: one look for all of them.
  const named = await db.rows<{ id: number }>(sql`
    select b.id from build_runs b where b.account_id = ${account_id} and b.id = any (${builds.map(({ id }) => id)}::bigint[]) and (
      exists (select from deployments d where d.account_id = b.account_id and d.project_id = ${project_id} and d.build_number = b.build_number and d.build_number <> '')
      or exists (select from deployments d where d.account_id = b.account_id and d.project_id = ${project_id} and d.commit_hash = b.commit_hash and d.commit_hash <> '')
      or exists (select from deployments d where d.account_id = b.account_id and d.project_id = ${project_id} and d.changelist = b.changelist and d.changelist <> '')
      or exists (select from deployments d where d.account_id = b.account_id and d.build_run_id = b.id))`)
  const isNamed = new Set(named.map(({ id }) => id))
  for (const { id, hasArtifacts } of builds)
    if (hasArtifacts || isNamed.has(id)) await relinkTo(db, { account_id, project_id }, id, hasArtifacts)
}

async function relinkTo(db: Database, project: ProjectKey, buildId: number, hasArtifacts: boolean) {
  const told = (condition: Sql) => sql`
    select d.id from deployments d join build on true where d.account_id = ${project.account_id} and d.project_id = ${project.project_id}
      and ${condition}
      and (d.build_run_id is null or d.build_basis not in ('build_run', 'job', 'person'))
      and (d.job_name = build.ci_job_name or build.created_at <= d.created_at + interval '1 day')`
  const waiting = await db.rows<{ id: string }>(sql`
    with build as (
      select b.account_id, b.id, b.ci_job_name, b.build_number, b.commit_hash, b.changelist, b.created_at, ${MAY_BE_SHIPPED} as has_passed from build_runs b
      where b.account_id = ${project.account_id} and b.id = ${buildId}),
    found as (
      (${told(sql`d.build_number = build.build_number and d.build_number <> ''`)} limit ${CANDIDATES_MAX})
      union (${told(sql`d.commit_hash = build.commit_hash and d.commit_hash <> ''`)} limit ${CANDIDATES_MAX})
      union (${told(sql`d.changelist = build.changelist and d.changelist <> ''`)} limit ${CANDIDATES_MAX})
      union (select d.id from deployments d
        join build on d.account_id = build.account_id and d.build_run_id = build.id and not build.has_passed)
      ${
        hasArtifacts
          ? sql`union (select id from (${told(sql`d.created_at > now() - interval '1 day'`)} order by d.created_at desc limit ${CANDIDATES_MAX}) v)`
          : empty
      })
    select d.id from deployments d
    where d.account_id = ${project.account_id} and d.id in (select id from found) order by d.id for update`)
  // A separate statement after the lock, so that two builds that end at the same time see each other.
  for (const { id } of waiting) await relink(db, project.account_id, id)
}

async function choose(db: Database, deployment: StoredDeployment): Promise<Choice> {
  const around = { promoted: await promoted(db, deployment), usual_job: await usualJob(db, deployment) }
  const choice = chooseBuild(deployment, await fitting(db, deployment), around)
  if (choice.basis !== 'number' && choice.reason !== 'number_only' && choice.reason !== 'not_known') return choice
  const versioned = chooseBuild(deployment, await withVersion(db, deployment), around)
  return versioned.reason === 'not_known' ? choice : versioned
}

const candidate = (hasVersion: Sql) => sql`
  b.id, b.status, b.ci_job_name, b.build_number, b.commit_hash, b.changelist, ${MAY_BE_SHIPPED} as has_passed,
  coalesce(b.verdict = 'passed', false) as is_good, ${hasVersion} as has_version`

function fitting(db: Database, { account_id, project_id, until, ...told }: StoredDeployment): Promise<Candidate[]> {
  const among = (condition: Sql, builds = sql`build_runs`) => sql`(
    select ${candidate(sql`false`)} from ${builds} b where b.account_id = ${account_id} and b.project_id = ${project_id} and ${condition}
    order by b.created_at desc, b.id desc limit ${CANDIDATES_MAX})`
  // Job and number name exactly one build; other fields can match several, preflights included.
  const soon = sql`b.created_at <= ${until}::timestamptz and ${IS_REGULAR}`
  const [project, number] = [{ account_id: sql`${account_id}`, project_id: sql`${project_id}` }, sql`${told.build_number}`]
  return db.rows(sql`
    ${among(sql`b.id = ${told.named_build_run_id ?? 0}`)}
    union ${among(sql`${told.job_name} <> ''`, buildsNumbered(project, number, sql`${told.job_name}`))}
    union ${among(soon, buildsNumbered(project, number))}
    union ${among(sql`b.commit_hash = ${told.commit_hash} and b.commit_hash <> '' and ${soon}`)}
    union ${among(sql`b.changelist = ${told.changelist} and b.changelist <> '' and ${soon}`)}`)
}

/** A version that is specific enough: `1` and `beta` are in many file names. */
const isTelling = (version: string) => version.length >= 3 && /\d/.test(version) && /[.\d]\d|\d[.-]/.test(version)

/** Passed builds with an artifact of the version, by its `version` or its file name (`Game-1.4.0-win64.zip`, but not `Game-1.4.0-rc1.zip`). */
async function withVersion(db: Database, { account_id, project_id, until, version }: StoredDeployment): Promise<Candidate[]> {
  const bare = version.replace(/^v(?=\d)/i, '')
  if (!isTelling(bare)) return []
  const name = `(^|[^0-9a-z.])v?${bare.replace(/[^0-9a-z]/gi, '\\$&')}(?![0-9a-z]|\\.[0-9]|[-_.+]?(rc|beta|alpha|pre|dev))`
  return db.rows(sql`
    select * from (
      select ${candidate(sql`exists (
        select from jsonb_array_elements(case jsonb_typeof(b.artifacts) when 'array' then b.artifacts else '[]' end) a
        where a ->> 'version' in (${version}, ${bare}) or a ->> 'name' ~* ${name})`)}
      from (
        select b.* from build_runs b
        where b.account_id = ${account_id} and b.project_id = ${project_id} and ${MAY_BE_SHIPPED} and ${IS_REGULAR}
          and b.created_at <= ${until}::timestamptz
        order by b.created_at desc, b.id desc limit ${VERSIONS_LOOK}) b) b
    where b.has_version`)
}

const promoted = (db: Database, { account_id, id, integration_id, platform, subject, job_name }: StoredDeployment) =>
  db.one<Candidate>(sql`
    select ${candidate(sql`false`)} from deployments o join build_runs b on b.account_id = o.account_id and b.id = o.build_run_id
    where o.account_id = ${account_id} and o.integration_id = ${integration_id} and o.platform = ${platform}
      and split_part(o.external_key, E'\n', 1) = ${subject}
      and o.id <> ${id} and (o.job_name = ${job_name} or o.job_name = '' or ${job_name} = '')
    order by o.number desc limit 1`)

/** At the time of the deployment: it does not change with later ones. */
async function usualJob(
  db: Database,
  { account_id, number, created_at, project_id, platform, store }: StoredDeployment,
): Promise<string | undefined> {
  const jobs = await db.rows<{ job: string }>(sql`
    select distinct ci_job_name as job from (
      select b.ci_job_name from (
        select o.* from deployments o where o.account_id = ${account_id} and o.project_id = ${project_id} and o.platform = ${platform}
          and (o.created_at, o.number) < (${created_at}::timestamptz, ${number})
        order by o.created_at desc, o.number desc limit ${STORE_LOOK}) o
      join build_runs b on b.account_id = o.account_id and b.id = o.build_run_id
      where o.store = ${store} and o.build_basis = any (${CERTAIN}::text[])
      order by o.created_at desc, o.number desc limit ${USUAL_LOOK}) last`)
  return jobs.length === 1 && jobs[0]!.job !== '' ? jobs[0]!.job : undefined
}
