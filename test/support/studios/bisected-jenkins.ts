import { sql } from '../../../src/db/database.ts'
import { type FakeJenkins, json, openJenkins, progressive } from '../servers/jenkins.ts'
import type { Studio } from '../studio.ts'
import { workOffAll } from '../work-off.ts'
import { type BranchRoom, branchRoom } from './branch-room.ts'

const LOG = `$ make game
lib/mystery.c:54:3: error: 'mystery' undeclared
make: *** [game] Error 1
`

export interface BisectedRoom extends BranchRoom {
  jenkins: FakeJenkins
  /** The changelists that Jenkins was asked to build, in order. */
  asked: number[]
  breakage: string
  permit(perDay: number): Promise<unknown>
  /** Runs all jobs, also those that are due later, until none is left. */
  workOffAll(): Promise<void>
}

export interface Made {
  changes: number
  /** Whether the build at this changelist fails. */
  fails(changelist: number): boolean
  parameters?: string[]
  log?: string
}

export const FIRST = 1200

/** A project with an open breakage of the job Cook that nobody is named for, and a Jenkins that builds any changelist at once. */
export async function bisectedRoom(
  studio: Studio,
  { changes, fails, parameters = ['CHANGELIST'], log = LOG }: Made,
): Promise<BisectedRoom> {
  const room = await branchRoom(studio)
  const jenkins = await openJenkins()
  await studio.db.execute(sql`
    update integrations set config = ${JSON.stringify({ server: jenkins.url })}::jsonb
    where project_id = ${room.project} and provider = 'jenkins'`)
  const asked: number[] = []
  jenkins.answers['/job/Cook/api/json'] = json(() => ({
    builds: [],
    property: [{ parameterDefinitions: parameters.map((name) => ({ name })) }],
  }))
  jenkins.answers['/job/Cook/buildWithParameters'] = (_, reply) => {
    const changelist = Number(new URLSearchParams(jenkins.bodies.at(-1)).get('CHANGELIST'))
    const number = 100 + asked.push(changelist)
    const failed = fails(changelist)
    const url = `${jenkins.url}/job/Cook/${number}/`
    jenkins.answers[`/queue/item/${number}/api/json`] = json(() => ({ executable: { number, url } }))
    jenkins.answers[`/job/Cook/${number}/api/json`] = json(() => ({
      number,
      building: false,
      result: failed ? 'FAILURE' : 'SUCCESS',
      timestamp: Date.now() - 60_000,
      duration: 60_000,
      actions: [{ parameters: [{ name: 'CHANGELIST', value: String(changelist) }] }],
    }))
    jenkins.answers[`/job/Cook/${number}/logText/progressiveText`] = progressive(() => ({
      log: Buffer.from(failed ? log : '$ make game\n'),
      running: false,
    }))
    reply.writeHead(201, { location: `${jenkins.url}/queue/item/${number}/` }).end()
  }
  for (let at = 0; at <= changes; at++) await room.submit(FIRST + at, { user: `worker${at}` })
  await room.report({ number: 1, changelist: FIRST })
  await room.report({ number: 2, changelist: FIRST + changes, log: LOG, status: 'failed' })
  await room.work()
  const [breakage] = await room.breakages()

  const permit = (perDay: number) =>
    studio.db.execute(sql`update projects set bisect_builds_per_day = ${perDay} where id = ${room.project}`)
  return { ...room, jenkins, asked, breakage: breakage!.id, permit, workOffAll: () => workOffAll(studio, room.owner.account_id) }
}
