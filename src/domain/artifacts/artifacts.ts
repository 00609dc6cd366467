import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { buildPlatformOf, configurationOf } from '../../contract/spellings/build-dimensions.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { inOrder, positionOn } from '../branches/positions.ts'
import { artifactUrl } from '../builds/artifact-list.ts'
import { nameOf } from '../files/content.ts'
import { readStored } from '../files/files.ts'
import { asShown } from '../privacy/scrub.ts'
import { isNamedLike } from './artifact-pages.ts'

export interface Artifact {
  id: string
  account_id: number
  bytes: number
  name: string
  /** The SHA-256 of its bytes, in hexadecimal. */
  sha256: string
}

/** A path is only a name here: the last part, without marks that mislead. */
export const fileNameOf = ({ name }: Pick<Artifact, 'name'>): string => nameOf(name)

/** A complete one. */
export const find = (db: Database, by: ProjectKey, id: string): Promise<Artifact | undefined> =>
  db.one<Artifact>(sql`
    select a.id, a.account_id, a.bytes::float8 as bytes, a.name, encode(a.sha256, 'hex') as sha256 from artifacts a
    where a.account_id = ${by.account_id} and a.project_id = ${by.project_id} and a.id = ${id} and a.completed_at is not null`)

/** As much is read at once; the next part is read while this one is sent. */
const PART = 4 * 1024 * 1024

/** The bytes of an artifact, from one offset to before another. */
export async function* read(db: Database, artifact: Artifact, from: number, until: number): AsyncGenerator<Buffer> {
  let reading: Promise<Buffer> | undefined
  for await (const part of partsOf(db, artifact, from, until)) {
    const next = readStored(db, artifact.account_id, part.sha256, part.from, part.until)
    // Whoever waits for it gets the error; nobody does if the client has left.
    next.catch(() => {})
    if (reading) yield await reading
    reading = next
  }
  if (reading) yield await reading
}

/** So many pieces are found by one statement: a large file has thousands. */
const PIECES = 100

/** Where the bytes are: parts of stored pieces. */
async function* partsOf(db: Database, { account_id, id }: Artifact, from: number, until: number) {
  const own = sql`account_id = ${account_id} and artifact_id = ${id}`
  for (let at = from; at < until; ) {
    const pieces = await db.rows<{ start: number; end: number; sha256: Buffer }>(sql`
      select start::float8 as start, (start + bytes)::float8 as end, sha256 from artifact_pieces
      where ${own} and start >= (select max(start) from artifact_pieces where ${own} and start <= ${at}) and start < ${until}
      order by start limit ${PIECES}`)
    // Deleted meanwhile.
    if (!pieces.some(({ end }) => end > at)) throw notFound('Artifact')
    for (const { start, sha256, ...piece } of pieces)
      for (const end = Math.min(until, piece.end); at < end; at = Math.min(end, at + PART))
        yield { sha256, from: at - start, until: Math.min(end, at + PART) - start }
  }
}

const shown = (site: string) => sql`
  a.id, a.build_run_id::text, a.name, a.bytes::float8 as size_bytes, encode(a.sha256, 'hex') as sha256, ${artifactUrl(site)} as url,
  iso(a.completed_at) as created_at`

/** Of several files of one name the first is what the build made. */
const IN_ORDER = sql`order by a.name, a.completed_at, a.id`

/** Reports of one branch may come in any order: of the same job, platform and configuration so many of the last are compared by position. */
const COMPARED = 50
/** The artifacts of a job have the same names in every build: so many of its last are searched for the name. */
const SEARCHED = 500

/**
 * The artifacts of the newest good build that has a matching one: with a branch by position, since reports of older changes may come later;
 * otherwise by arrival. Reads the last builds of each job, platform and configuration, however many builds there are.
 */
export async function latest(
  db: Database,
  by: ProjectKey,
  { job, branch, platform, configuration, name, limit }: QueryOf<'listLatestArtifacts'>,
  site: string,
): Promise<ReplyOf<'listLatestArtifacts'>> {
  const on = branch === undefined ? undefined : asShown(branchKey(branch))
  const named = isNamedLike(sql`a.name`, name)
  const good = sql`
    x.account_id = ${by.account_id} and x.project_id = ${by.project_id} and x.good
      ${when(on, (on) => sql`and x.branch = ${on}`)} ${when(job, (job) => sql`and x.job = ${asShown(job)}`)}`
  const build = await db.one<{ id: number }>(sql`
    with recursive ${kindsOf(good)}
    select b.id from kinds k
    cross join lateral (
      select x.build_run_id from (
        select x.build_run_id, x.created_at from artifact_builds x
        where ${good} and x.job = k.job and x.platform = k.platform and x.configuration = k.configuration
        order by x.created_at desc, x.build_run_id desc limit ${SEARCHED}) x
      where exists (
        select from artifacts a
        where a.account_id = ${by.account_id} and a.build_run_id = x.build_run_id and a.completed_at is not null ${named})
      order by x.created_at desc, x.build_run_id desc limit ${on === undefined ? 1 : COMPARED}) x
    cross join lateral (select b.* from build_runs b where b.account_id = ${by.account_id} and b.id = x.build_run_id offset 0) b
    where true ${when(platform, (platform) => sql`and k.platform = ${asShown(buildPlatformOf(platform))}`)}
      ${when(configuration, (configuration) => sql`and k.configuration = ${asShown(configurationOf(configuration))}`)}
    order by ${on === undefined ? sql`b.created_at desc, b.id desc` : sql`${inOrder(positionOn(sql`${on}::text`))} desc`} limit 1`)
  const rows =
    build &&
    (await db.rows<ReplyOf<'listLatestArtifacts'>['artifacts'][number]>(sql`
      select ${shown(site)} from artifacts a
      where a.account_id = ${by.account_id} and a.build_run_id = ${build.id} and a.completed_at is not null ${named} ${IN_ORDER} limit ${limit + 1}`))
  const has_more = (rows?.length ?? 0) > limit
  return { artifacts: rows?.slice(0, limit) ?? [], pagination: { limit, has_more } } as ReplyOf<'listLatestArtifacts'>
}

/** Every job, platform and configuration with such builds `x`, each found by one step in the index. */
const kindsOf = (good: Sql) => {
  const next = (after: Sql) => sql`
    select x.job, x.platform, x.configuration from artifact_builds x where ${good} ${after}
    order by x.job, x.platform, x.configuration limit 1`
  return sql`kinds (job, platform, configuration) as (
    (${next(empty)})
    union all
    select n.* from kinds k
    cross join lateral (${next(sql`and (x.job, x.platform, x.configuration) > (k.job, k.platform, k.configuration)`)}) n)`
}
