import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { byNumber } from '../branches/build-order.ts'
import { IS_REGULAR } from '../branches/build-statuses.ts'
import { BRANCH, passesNear, positionOn, type Standing } from '../branches/positions.ts'
import type { BuildPosition, Failure, Hit, Pass } from './judge.ts'
import { withPassesOfTests } from './test-passes.ts'

/** For a breakage with more builds, the first and the newest are read, and its page says how many are not. */
export const READ_MAX = 400

interface Owned extends ProjectKey {
  id: number
}

interface Member {
  build_run_id: number
  job: string
  branch: string
  position: number | null
  /** As last looked up. */
  noted: number | null
  id: number
  build_number: string
  commit_hash: string
  changelist: string
  bisect: boolean
  occurrence: number | null
  began_at: string
  received_at: string
}

/** The jobs that a breakage hit, by platform, configuration and branch, with the positions of their builds. Positions are looked up again: a late push moves them. */
export async function hitsOf(db: Database, { id, account_id, project_id }: Owned): Promise<Hit[]> {
  const half = READ_MAX / 2
  const own = sql`account_id = ${account_id} and breakage_id = ${id}`
  const members = await db.rows<Member>(sql`
    with read as (
      (select account_id, build_run_id, position, occurrence from breakage_builds where ${own} order by build_run_id limit ${half})
      union (select account_id, build_run_id, position, occurrence from breakage_builds where ${own} order by build_run_id desc limit ${half}))
    select b.id as build_run_id, b.job, ${BRANCH} as branch, ${positionOn(BRANCH)} as position, read.position as noted, read.occurrence,
      b.id, b.build_number, b.commit_hash, b.changelist, b.kind = 'bisect' as bisect, coalesce(b.started_at, b.created_at) as began_at, b.created_at as received_at
    from read, lateral (select * from build_runs b where b.account_id = read.account_id and b.id = read.build_run_id offset 0) b order by b.id`)
  await notePositions(
    db,
    account_id,
    members.filter(({ position, noted }) => position !== noted),
  )
  const hits: Hit[] = []
  const rest = new Set(members)
  for (const { job, branch } of members) {
    const group = [...rest].filter((member) => member.job === job && member.branch === branch)
    for (const member of group) rest.delete(member)
    if (group.some(({ bisect }) => !bisect)) hits.push(await hitOf(db, { account_id, project_id }, group))
  }
  return hits
}

async function notePositions(db: Database, accountId: number, moved: readonly Member[]) {
  if (moved.length === 0) return
  await db.execute(sql`
    update breakage_builds m set position = moved.position
    from unnest(${moved.map(({ build_run_id }) => build_run_id)}::bigint[], ${moved.map(({ position }) => position)}::bigint[]) moved (id, position)
    where m.account_id = ${accountId} and m.build_run_id = moved.id`)
}

async function hitOf(db: Database, project: ProjectKey, members: readonly Member[]): Promise<Hit> {
  const { job, branch } = members[0]!
  const near = new Map<number, Standing>()
  for (const { build_run_id } of spread(members))
    for (const pass of await passesNear(db, { account_id: project.account_id, id: build_run_id }, branch)) near.set(pass.id, pass)
  const builds = members.toSorted(inPlace).map(({ build_run_id }) => build_run_id)
  const passes = await withPassesOfTests(db, project, { job, branch, builds }, [...near.values()])
  const ranks = new Map([...members, ...passes].toSorted(byNumber).map(({ id }, rank) => [id, rank]))
  const placeOf = ({ id, position, bisect, received_at, commit_hash, changelist }: Member | Standing): BuildPosition => ({
    position,
    revision: `${commit_hash} ${changelist}`.trim(),
    number: commit_hash === '' && /^\d{1,15}$/.test(changelist) ? Number(changelist) : null,
    at: ranks.get(id)!,
    received: Date.parse(received_at),
    bisect,
  })
  return {
    job,
    branch,
    failures: members.map(
      (member): Failure => ({
        ...placeOf(member),
        build_run_id: member.build_run_id,
        occurrence: member.occurrence,
        began_at: Date.parse(member.began_at),
      }),
    ),
    passes: passes.map((pass): Pass => ({ ...placeOf(pass), build_run_id: pass.id, finished_at: Date.parse(pass.finished_at) })),
    silent: await isSilent(db, project, job, branch),
  }
}

const inPlace = (a: Member, b: Member) => (a.position ?? 0) - (b.position ?? 0) || byNumber(a, b)

/** Passes are read around these failures: the first, the last, and some in between. */
const LOOKS = 5

function spread(members: readonly Member[]): Member[] {
  const step = Math.max(1, (members.length - 1) / (LOOKS - 1))
  return [...new Set(Array.from({ length: LOOKS }, (_, look) => members[Math.round(Math.min(look * step, members.length - 1))]!))]
}

const isSilent = async (db: Database, project: ProjectKey, job: string, branch: string) => {
  const heard = await db.one(sql`
    select from build_runs b where b.account_id = ${project.account_id} and b.project_id = ${project.project_id}
      and b.job = ${job} and ${BRANCH} = ${branch}
      and ${IS_REGULAR} and b.created_at > goldmaster_now() - interval '30 days' limit 1`)
  return heard === undefined
}
