import { afterAll, beforeAll, expect, test } from 'vitest'
import { overlapping, waiting } from '../../../test/support/blocked.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase, type Pool, sql } from '../../db/database.ts'
import * as badges from '../../domain/ugs/badges.ts'
import * as tokens from '../../domain/ugs/tokens.ts'

const WRITERS = 50
const EACH = 4

let studio: Studio
/** Another node, with its own connections. */
let other: Studio
let pool: Pool
let project: { account_id: number; project_id: number }
let root: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
  })
  pool = openDatabase(studio.url, { max: WRITERS + 2, statementTimeout: 0, connectTimeout: 60_000 })
  other = await openStudio({}, { beside: studio, service: { db: pool } })
  project = {
    account_id: studio.world.accounts.owl!.id as number,
    project_id: studio.world.projects.star!.id as number,
  }
  root = `/ugs/${(await tokens.create(studio.db, project.project_id, 'everybody')).token}/api`
})
afterAll(async () => {
  await other.close()
  await pool.close()
  await studio.close()
})

const place = (change: number) => ({ ...project, path: '//ue5/main/shooter', change })
const editor: badges.Badge = { name: 'Editor', state: 'Success', url: '' }
const send = async (node: Studio, change: number) => {
  const body = { Project: '//ue5/main/shooter', ChangeNumber: change, BuildType: 'Editor', Result: 3, Url: '' }
  expect((await node.ask(`${root}/build`, { method: 'POST', body })).status).toBe(200)
}

/** Polls like a client, with the sequence of the previous reply. */
const poller = (node: Studio, minchange: number) => {
  const seen: number[] = []
  let sequence = 0
  const poll = async () => {
    const { json } = await node.ask(
      `${root}/metadata?stream=//ue5/main&project=shooter&minchange=${minchange}&sequence=${sequence}`,
    )
    expect(json.SequenceNumber).toBeGreaterThanOrEqual(sequence)
    sequence = json.SequenceNumber
    seen.push(...json.Items.map(({ Change }: { Change: number }) => Change))
  }
  return { seen, poll }
}

test('a badge posted on one node is seen by the next poll on another', async () => {
  const { seen, poll } = poller(studio, 1)
  await poll()
  await send(other, 1)
  await poll()
  expect(seen).toEqual([1])
})

test('a write that commits late is not missed', async () => {
  const { seen, poll } = poller(studio, 10)
  let later: Promise<void> | undefined
  await pool.transaction(async (db) => {
    await badges.post(db, place(10), editor)
    later = send(other, 11)
    await until(async () => (await waiting(studio.db)) > 0)
    await poll()
    expect(seen).toEqual([])
  })
  await later
  await poll()
  expect(seen).toEqual([10, 11])
})

test('a poller misses none of fifty concurrent writers and sees nothing twice', async () => {
  const changes = (writer: number) => Array.from({ length: EACH }, (_, i) => 1_000 + writer * EACH + i)
  const all = Array.from({ length: WRITERS }, (_, writer) => changes(writer)).flat()
  const { seen, poll } = poller(studio, 1_000)
  const write = async (writer: number) => {
    for (const change of changes(writer)) await send(other, change)
  }
  let writing = true
  const polling = (async () => {
    while (writing) await poll()
  })()
  const counter = sql`select from ugs_sequences where account_id = ${project.account_id} and project_id = ${project.project_id} for update`
  const written = await overlapping(studio.db, counter, WRITERS, () => Array.from({ length: WRITERS }, (_, i) => write(i)))
  writing = false
  await polling
  await poll()
  expect(written.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(seen.toSorted((a, b) => a - b)).toEqual(all)
})
