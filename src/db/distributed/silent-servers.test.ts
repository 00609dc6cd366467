import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../database.ts'
import { SilentServers } from './silent-servers.ts'

/** Accounts 1 and 2 are stored on the first worker, 3 on the second. */
const [FIRST, SECOND] = [1, 2]

/** What a coordinator with Citus tells of its servers; `answers_after` is how many seconds one takes to answer, null if it refuses. */
const COORDINATOR = [
  sql`create table pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text, shouldhaveshards boolean)`,
  sql`create table pg_dist_placement (shardid bigint, groupid integer)`,
  sql`create table answers_after (nodeport integer, seconds float)`,
  sql`create sequence checks`,
  sql`create sequence lookups`,
  sql`
    create function citus_check_connection_to_node(name text, port integer) returns boolean language plpgsql as $$
    begin
      perform nextval('checks');
      perform pg_sleep(a.seconds) from answers_after a where a.nodeport = port;
      return (select a.seconds is not null from answers_after a where a.nodeport = port);
    end $$`,
  sql`
    create function get_shard_id_for_distribution_column(name text, account integer) returns bigint language sql as $$
      select nextval('lookups') * 0 + case when account = 3 then 20 else 10 end $$`,
  sql`
    insert into pg_dist_node values (0, 'coordinator', 5430, 'primary', false), (1, 'first', 5431, 'primary', true),
      (1, 'standby', 5441, 'secondary', true), (2, 'second', 5432, 'primary', true)`,
  sql`insert into pg_dist_placement values (10, 1), (20, 2)`,
  sql`insert into answers_after values (5430, 0), (5431, 0), (5441, null), (5432, 0)`,
]

let own: TestDatabase
let servers: SilentServers
let told: string[]
beforeAll(async () => {
  own = await createEmptyDatabase()
  for (const statement of COORDINATOR) await own.db.execute(statement)
})
afterAll(() => own.drop())
beforeEach(async () => {
  told = []
  servers = new SilentServers(own.url, (server) => told.push(server))
  await own.db.execute(sql`select setval('checks', 1, false), setval('lookups', 1, false)`)
})
afterEach(async () => {
  await answer('first', 0)
  await answer('second', 0)
  await until(async () => servers.groups.length === 0)
})

const answer = (name: string, seconds: number | null) =>
  own.db.execute(sql`
    update answers_after a set seconds = ${seconds} from pg_dist_node n where n.nodeport = a.nodeport and n.nodename = ${name}`)
const counted = async (what: 'checks' | 'lookups') =>
  (await own.db.one<{ count: number }>(sql`
    select case when is_called then last_value else 0 end as count from ${what === 'checks' ? sql`checks` : sql`lookups`}`))!
    .count
const refused = (account: number | undefined) =>
  servers.refuse(account).then(
    () => undefined,
    (error) => error.code,
  )

test('a slow statement alone makes no server silent', async () => {
  await servers.suspect(1)
  expect([servers.groups, told, await refused(1)]).toEqual([[], [], undefined])
  expect(await counted('checks')).toBe(1)
})

test('statements for the accounts of a silent server are refused, those for others and for all are not', async () => {
  await answer('first', null)
  await servers.suspect(1)
  expect(servers.groups).toEqual([FIRST])
  expect([await refused(1), await refused(2)]).toEqual(['08006', '08006'])
  expect([await refused(3), await refused(undefined)]).toEqual([undefined, undefined])
})

test('account locations are not looked up while every server responds', async () => {
  await servers.refuse(1)
  expect(await counted('lookups')).toBe(0)
})

test('a server that takes too long to answer is silent', async () => {
  await answer('second', 20)
  await servers.suspect(3)
  expect([servers.groups, told]).toEqual([[SECOND], ['second:5432']])
})

test('after a statement for all servers each with rows is checked, and only those that do not answer are silent', async () => {
  await answer('second', null)
  await servers.suspect(undefined)
  expect([servers.groups, told]).toEqual([[SECOND], ['second:5432']])
  expect(await counted('checks')).toBe(2)
})

test('a server that responds again is noticed, and its accounts are served', async () => {
  await answer('first', null)
  await servers.suspect(1)
  expect(await refused(1)).toBe('08006')
  await answer('first', 0)
  await until(async () => servers.groups.length === 0)
  expect(await refused(1)).toBe(undefined)
  expect(told).toEqual(['first:5431'])
  await answer('first', null)
  await servers.suspect(2)
  expect(told).toEqual(['first:5431', 'first:5431'])
})

test('a silent server is reported once and checked every two seconds, however many statements it leaves unanswered', async () => {
  await answer('first', null)
  for (let statement = 0; statement < 8; statement++) await servers.suspect(1)
  const [before, began] = [await counted('checks'), performance.now()]
  await until(async () => (await counted('checks')) >= before + 3)
  // Of eight timers three would end within the first two seconds.
  expect(performance.now() - began).toBeGreaterThan(3_500)
  expect(told).toEqual(['first:5431'])
})

test('statements that wait for the same server at the same moment check it once', async () => {
  await answer('first', 1)
  await Promise.all([1, 2, 1, 2].map((account) => servers.suspect(account)))
  expect(await counted('checks')).toBe(1)
})

test('an account is located once while a server is silent, and again later, because it may have moved', async () => {
  await answer('first', null)
  await servers.suspect(1)
  await servers.refuse(3)
  const lookups = await counted('lookups')
  expect(lookups).toBeGreaterThan(0)
  await servers.refuse(3)
  expect(await counted('lookups')).toBe(lookups)
  await answer('first', 0)
  await until(async () => servers.groups.length === 0)
  await own.db.execute(sql`update pg_dist_placement set groupid = 2 where shardid = 10`)
  try {
    await answer('second', null)
    await servers.suspect(3)
    expect(await refused(1)).toBe('08006')
  } finally {
    await own.db.execute(sql`update pg_dist_placement set groupid = 1 where shardid = 10`)
  }
})

test('if not even the coordinator answers, no server is silent and the statement keeps its own error', async () => {
  const unreachable = new SilentServers(own.url.replace(/[^/]*$/, 'no_such_database'), (server) => told.push(server))
  await unreachable.suspect(1)
  await unreachable.suspect(undefined)
  expect([unreachable.groups, told]).toEqual([[], []])
})
