import { afterAll, expect, onTestFinished, test } from 'vitest'
import { raw, sql } from '../../../src/db/database.ts'
import type { ChatVendors } from '../../support/servers/chat-vendors.ts'
import type { Studio } from '../../support/studio.ts'
import { groupsOf, PATIENCE_MS } from '../groups.ts'
import { differences, textOf } from '../repeats.ts'
import { openStage } from '../stage.ts'
import { PEOPLE, SHARERS } from '../world.ts'
import { between, isOver } from './oracle.ts'
import {
  CONFIGURATIONS,
  type Configuration,
  type Happening,
  JOB,
  makeSizes,
  type SizedBuild,
  type SizedChange,
  STREAM,
} from './world.ts'

const NAMES = Object.keys(CONFIGURATIONS) as Configuration[]
const ANY = { job: '', branch: '', platform: '', max_growth: null, store: '', track: '' }
let [named, alerted] = [0, 0]
afterAll(() => console.info(`${alerted} alerts, ${named} with a person`))

async function openPlayer(studio: Studio, _: ChatVendors, seed: number) {
  const account = Number(studio.world.accounts!.owl!.id)
  const { projects } = await studio.load({ projects: [{ key: 'p', account, name: `Sizes ${seed}` }] })
  const project = projects!.p!.id as number
  const { integrations } = await studio.load({
    integrations: [
      { key: 'depot', project, provider: 'perforce', config: { branches: STREAM } },
      { key: 'ci', project, provider: 'jenkins' },
    ],
  })
  const token = studio.world.tokens!.ann!.token as string
  const budgets = NAMES.map((configuration) => ({
    ...ANY,
    measure: 'package',
    configuration,
    max_value: CONFIGURATIONS[configuration].allowed,
    unit: 'bytes',
  }))
  const api = (path: string, asking = {}) => studio.ask(`/api/v1/projects/${project}${path}`, { token, ...asking })
  const put = await api('/measures/budgets', { method: 'PUT', body: { budgets } })
  expect(put.status, put.text).toBe(200)
  const changes: SizedChange[] = []
  const builds: SizedBuild[] = []
  const bodyOf = (one: Happening) =>
    one.kind === 'change'
      ? {
          changelist: one.change.changelist,
          user: one.change.author,
          description: one.change.description,
          files: one.change.files.map((path) => ({ path, action: 'edit' })),
        }
      : {
          job_name: JOB,
          build_number: String(one.build.number),
          status: 'success',
          branch: STREAM,
          changelist: String(one.build.changelist),
          platform: 'Win64',
          configuration: one.build.configuration,
          measures: [
            { name: 'package', unit: one.build.unit, value: one.build.unit === 'MB' ? one.build.bytes / 1e6 : one.build.bytes },
          ],
        }
  const sent: [string, object][] = []
  const send = async (key: string, body: object) => {
    const path = key === 'depot' ? 'perforce' : 'ci'
    const answer = await studio.ask(`/webhooks/${path}?token=${integrations![key]!.webhook_token}`, { method: 'POST', body })
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  const userOf = new Map([...PEOPLE, ...SHARERS].map((name) => [Number(studio.world.users![name]!.id), name as string]))
  return {
    ...makeSizes(seed),
    changes,
    builds,
    async happen(one: Happening) {
      sent.push([one.kind === 'change' ? 'depot' : 'ci', bodyOf(one)])
      await send(...sent.at(-1)!)
      if (one.kind === 'change') changes.push(one.change)
      else builds.push(one.build)
    },
    async repeat() {
      for (const [key, body] of sent) await send(key, Object.fromEntries(Object.entries(body).reverse()))
    },
    alerts: async () => (await api('/measures/budgets')).json.alerts,
    /** The build with an id. */
    async buildOf(id: string) {
      const row = await studio.db.one<{ number: string }>(sql`
        select build_number as number from build_runs where project_id = ${raw(String(project))} and id = ${id}::bigint`)
      return builds.find(({ number }) => String(number) === row!.number)!
    },
    person: (id: number) => userOf.get(id),
  }
}
type Player = Awaited<ReturnType<typeof openPlayer>>

async function check(player: Player, where: string, isEnd: boolean) {
  const { changes, builds } = player
  const alerts = await player.alerts()
  for (const configuration of NAMES) {
    const over = isOver(changes, builds, configuration)
    const open = alerts.filter((alert: { configuration: string }) => alert.configuration === configuration)
    if (over !== null) expect(open.length, `${where}: alerts of ${configuration}`).toBe(Number(over))
  }
  for (const { configuration, user_id, range } of alerts) {
    if (isEnd) alerted++
    if (user_id === null) continue
    if (isEnd) named++
    const about = `${where}: ${player.person(user_id)} at the alert of ${configuration}`
    const [since, first] = [await player.buildOf(range.since_build_run_id), await player.buildOf(range.until_build_run_id)]
    expect([since.configuration, first.configuration], about).toEqual([configuration, configuration])
    const all = between(changes, since, first)
    expect(
      all.map(({ author }) => author),
      about,
    ).toEqual([player.person(user_id)])
    // Once everything was reported, it is the change that let the package grow.
    if (isEnd) expect(all[0]!.grows, about).toBe(1)
  }
}

test.each(groupsOf('1-6'))(
  'a person is named for a size only if their change alone let it grow, in worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    const stage = await openStage(seeds, openPlayer)
    onTestFinished(() => stage.close())
    for (const look of [0, 1]) {
      for (const player of stage.players)
        for (const one of player.happenings.slice(look === 0 ? 0 : player.looks[0], player.looks[look])) await player.happen(one)
      await stage.settle()
      for (const [index, player] of stage.players.entries())
        await check(player, `seed ${seeds[index]}, ${player.regime}, look ${look}`, look === 1)
    }
    const texts = async () => Promise.all(stage.players.map(async (player) => textOf(await player.alerts())))
    const before = await texts()
    for (const player of stage.players) await player.repeat()
    await stage.settle()
    const after = await texts()
    for (const [index, seed] of seeds.entries())
      expect(differences(before[index]!, after[index]!), `seed ${seed}: all reports once more`).toEqual([])
  },
)
