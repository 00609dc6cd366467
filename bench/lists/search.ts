import pg from 'pg'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import type { Key } from '../../src/db/page.ts'
import type { Caller } from '../../src/domain/access/access.ts'
import { indexAll } from '../../src/domain/search/index.ts'
import { search } from '../../src/domain/search/palette.ts'
import { findListed, type ListName, type PageQuery } from '../../src/http/routes/lists.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { printTable, verdict } from '../harness/table.ts'

const SIZES = { changes: 120_000, tasks: 100_000, build_runs: 50_000, assets: 50_000, deployments: 5_000 }
/** A studio with much data, another with as much, and one with ten records of each kind. */
const STUDIOS = [1, 2, 3]
const SMALL = 10
const TARGET_MS = 50
const SAMPLE = 60
const ROUNDS = 20

/** Search over one studio's rows: whether everything is found by its own name, and how long a search takes. */
export async function benchSearch(cluster: Cluster) {
  const store = await cluster.create('search')
  const db = openDatabase(store.url, { max: 1, statementTimeout: 600_000 })
  try {
    await fillStudios(store.url)
    await indexEverything(db)
    await completeness(db)
    await latencies(db)
    await pages(db)
  } finally {
    await db.close()
    await store.drop()
  }
}

const WORDS = `array['crate', 'harbour', 'floor', 'TideWarden', 'lantern', 'shader', 'physics', 'net_code', 'crash', 'loading', 'texture',
  'Steam', 'camera', 'rope', 'lightmap', 'save game', 'menu', 'audio', 'foliage', 'ragdoll', 'subtitle', 'Überhang', '水面', 'quest']`
const words = (salt: number) => `(${WORDS})[1 + (hashint4(i + ${salt}) & 1023) % 24]`
const title = `'Fix ' || ${words(1)} || ' ' || ${words(20_000)} || ' in ' || ${words(300_000)} || ' ' || i`

/** The newest thousands have none of the words of the first ten thousand: a common word that is old. */
const inserts: Record<keyof typeof SIZES, string> = {
  tasks: `insert into tasks (account_id, project_id, title, created_at)
    select $1::integer, $1, ${title} || case when i <= 10000 then ' antique' else '' end, now() - ($2 - i) * interval '1 minute' from generate_series(1, $2::integer) i`,
  changes: `insert into changes (account_id, project_id, identifier, source_type, author, description, branch, files, timestamp)
    select $1::integer, $1, md5($1::integer || ' ' || i) || 'deadbeef', 'GitCommit',
      case when i = 7 then 'Rare Rita' else 'Kim Lindqvist <kim@bench.example>' end, ${title} || E'\\n\\nReviewed by the physics group, see the notes of ' || i, 'main',
      jsonb_build_array(jsonb_build_object('path', 'Source/' || ${words(7)} || '/Crate_' || i || '.cpp')),
      now() - ($2 - i) * interval '1 minute' from generate_series(1, $2::integer) i`,
  build_runs: `insert into build_runs (account_id, project_id, status, ci_job_name, build_number, commit_hash, branch, created_at)
    select $1::integer, $1, 'completed', (array['cinder-win64', 'cinder-ps5', 'nightly'])[1 + i % 3], i::text, md5($1::integer || ' ' || i) || 'deadbeef', 'main', now() - ($2 - i) * interval '1 minute' from generate_series(1, $2::integer) i`,
  assets: `insert into assets (account_id, project_id, name, path, asset_type, created_at)
    select $1::integer, $1, 'T_Crate_' || i || '.png', 'Content/Props/' || ${words(7)} || '/T_Crate_' || i || '.png', 'texture', now() - ($2 - i) * interval '1 minute' from generate_series(1, $2::integer) i`,
  deployments: `insert into deployments (account_id, project_id, platform, status, version, branch, created_at)
    select $1::integer, $1, (array['steam', 'google_play'])[1 + i % 2], 'live', '0.' || i / 10 || '.' || i % 10, 'release', now() - ($2 - i) * interval '1 minute' from generate_series(1, $2::integer) i`,
}

async function fillStudios(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const studio of STUDIOS) {
      await client.query(`insert into accounts (id, name) values (${studio}, 'Studio ${studio}')`)
      await client.query(`insert into users (id, email, name) values (${studio}, 'p${studio}@bench.example', 'Person')`)
      await client.query(`insert into account_members (account_id, user_id) values (${studio}, ${studio})`)
      await client.query(`insert into projects (id, account_id, name, engine) values (${studio}, ${studio}, 'Harbour', 'unreal')`)
      for (const [table, size] of Object.entries(SIZES))
        await client.query(inserts[table as keyof typeof SIZES], [studio, studio === 3 ? SMALL : size])
      console.log(`Studio ${studio} is filled`)
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

async function indexEverything(db: Pool) {
  const { waiting } = (await db.one<{ waiting: number }>(sql`select count(*) as waiting from search_queue`))!
  const began = performance.now()
  await indexAll(db)
  const seconds = (performance.now() - began) / 1000
  const size = await db.one<{ documents: string; terms: string }>(sql`
    select pg_size_pretty(pg_total_relation_size('search_documents')) as documents,
      pg_size_pretty(pg_relation_size('search_documents_terms')) as terms`)
  console.log(
    `${waiting} documents in ${seconds.toFixed(0)} s, ${Math.round(waiting / seconds)} a second; ${size!.documents}, of which terms ${size!.terms}`,
  )
}

async function completeness(db: Pool) {
  const rows = await db.rows<{ kind: string; title: string; url: string }>(sql`
    (select 'task' as kind, title, '/projects/1/tasks/' || id as url from tasks where account_id = 1 order by md5(id::text) limit ${SAMPLE})
    union all (select 'change', split_part(description, E'\\n', 1), '/projects/1/changes/' || id from changes where account_id = 1 order by md5(id::text) limit ${SAMPLE})
    union all (select 'build', ci_job_name || ' #' || build_number, '/projects/1/builds/' || id from build_runs where account_id = 1 order by md5(id::text) limit ${SAMPLE})
    union all (select 'asset', name, '/projects/1/assets/' || id from assets where account_id = 1 order by md5(id::text) limit ${SAMPLE})
    union all (select 'deployment', platform || ' ' || version, '/projects/1/deployments/' || id from deployments where account_id = 1 order by md5(id::text) limit ${SAMPLE})`)
  const missed = []
  for (const row of rows) if (!(await search(db, 1, row.title, undefined)).some(({ url }) => url === row.url)) missed.push(row)
  console.log(`${rows.length - missed.length} of ${rows.length} records are found by their own names`, missed.slice(0, 3))
}

const QUERIES: Record<string, string | ((n: number) => string)> = {
  'a title': (n) => `Fix crate ${n * 997}`,
  'a number': (n) => String(n * 997),
  'a word of many': 'crate',
  'a word of all': 'fix',
  'a word of many old ones': 'antique',
  'inside a word': 'arbou',
  'two words': 'tide warden',
  'job and number': (n) => `cinder ${n * 501}`,
  'store and version': (n) => `Steam 0.${n}`,
  'a path': (n) => `crate_${n * 31}.png`,
  'a commit': (n) => n.toString(16).padStart(3, '0'),
  'one letter': 'c',
  'two letters': 'tw',
  'an absent word': 'zzyzx',
  'common parts, absent whole': 'crashloading',
  'an accent': 'uberhang',
  Chinese: '水',
  '5,000 characters': 'crate harbour '.repeat(360),
}

async function latencies(db: Pool) {
  const table = []
  const backends = await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)
  const processes = [process.pid, ...backends.map(({ pid }) => pid)]
  for (const user of [1, 3])
    for (const [name, query] of Object.entries(QUERIES)) {
      const times = []
      let hits = 0
      const before = await cpuOfEach(processes)
      for (let round = 0; round < ROUNDS; round++) {
        const began = performance.now()
        hits = (await search(db, user, typeof query === 'string' ? query : query(round + 1), undefined)).length
        times.push(performance.now() - began)
      }
      const cpu = usedBetween(before, await cpuOfEach(processes)) / ROUNDS
      times.sort((a, b) => a - b)
      const p95 = times[Math.floor(0.95 * times.length)]!
      table.push([
        user === 1 ? 'much' : 'little',
        name,
        hits,
        times[times.length >> 1]!,
        p95,
        times.at(-1)!,
        cpu,
        verdict(p95 <= TARGET_MS),
      ])
    }
  printTable(
    `Search (target: p95 ≤ ${TARGET_MS} ms)`,
    ['studio', 'query', 'hits', 'p50 ms', 'p95 ms', 'max ms', 'CPU ms', ''],
    table,
  )
}

const PAGES: [ListName, Record<string, string>][] = [
  ['searchTasks', { q: 'fix' }],
  ['searchTasks', { q: 'antique' }],
  ['searchTasks', { q: 'zzyzx' }],
  ['searchTasks', { q: 'fix', task_type: 'bug' }],
  ['searchChanges', { q: 'crate lantern' }],
  ['searchChanges', { author: 'kim' }],
  ['searchChanges', { author: 'rita' }],
  ['searchChanges', { author: 'nobody' }],
  ['searchChanges', { path: 'source/' }],
  ['searchChanges', { path: 'crate_997.cpp' }],
  ['searchChanges', { path: 'nowhere.cpp' }],
  ['searchBuilds', { author: 'kim' }],
  ['searchBuilds', { author: 'rita' }],
  ['searchBuilds', { q: 'cinder', author: 'kim' }],
  ['searchAssets', { q: 'props lantern' }],
]

/** Pages of the API's searches, the first and a late one: the time of each, and our share of it. */
async function pages(db: Pool) {
  const table = []
  const backends = await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)
  const processes = [process.pid, ...backends.map(({ pid }) => pid)]
  const { middle } = (await db.one<{ middle: string }>(sql`select now() - interval '20000 minutes' as middle`))!
  for (const account of [1, 3])
    for (const [name, filters] of PAGES)
      for (const cursor of [undefined, { at: middle, id: idOf(name) }] satisfies (Key | undefined)[]) {
        const query = { ...filters, limit: 20, ...(cursor && { cursor }) } as unknown as PageQuery
        const caller = { account_id: account, project_id: account } as Caller
        const times = []
        let rows = 0
        const before = await cpuOfEach(processes)
        for (let round = 0; round < ROUNDS; round++) {
          const began = performance.now()
          rows = JSON.parse((await findListed(db, caller, name, query, 'https://bench.example')).items).length
          times.push(performance.now() - began)
        }
        const cpu = usedBetween(before, await cpuOfEach(processes)) / ROUNDS
        times.sort((a, b) => a - b)
        const p95 = times[Math.floor(0.95 * times.length)]!
        const asked = new URLSearchParams(filters).toString()
        const place = cursor ? 'far down' : 'first'
        const size = account === 1 ? 'much' : 'little'
        table.push([size, `${name} ${asked}`, place, rows, times[times.length >> 1]!, p95, cpu, verdict(p95 <= TARGET_MS)])
      }
  printTable(
    `Searches of the API (target: p95 ≤ ${TARGET_MS} ms)`,
    ['studio', 'search', 'page', 'rows', 'p50 ms', 'p95 ms', 'CPU ms', ''],
    table,
  )
}

const idOf = (name: ListName) => (name === 'searchAssets' ? '00000000-0000-0000-0000-000000000000' : '0')
