import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goldmaster } from '../../../test/support/callers/command.ts'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import { allowedHosts } from '../../net/addresses.ts'

let studio: Studio
let worker: Worker
const { folder, remove } = scratch()
/** Both integrations accept only signed deliveries. */
const SECRET = 'shared with the bridge'
let secret = SECRET

beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@owl.example', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: ['perforce', 'lore'].map((provider) => ({
      key: provider,
      project: 'star',
      provider,
      signing_secret: SECRET,
      requires_signature: true,
    })),
  })
  const { vault, log } = studio.service
  worker = await startWorker({ db: studio.db, vault, log, allowed: allowedHosts([]), site: 'https://gold.example' })
})
afterAll(async () => {
  await worker.stop()
  await studio.close()
  remove()
})

const bridge = (name: string, tool: string, ...args: string[]) =>
  goldmaster(
    ['bridge', name, '--host', studio.site, '--state', join(folder, `${name}.json`), '--tool', tool, '--interval', '1', ...args],
    { GOLDMASTER_WEBHOOK_TOKEN: studio.world.integrations![name]!.webhook_token as string, GOLDMASTER_WEBHOOK_SECRET: secret },
  )
const changes = (source: string) =>
  studio.db.rows<{ identifier: string; author: string; description: string; branch: string; timestamp: string }>(
    sql`select identifier, author, description, branch, timestamp from changes where source_type = ${source} order by id`,
  )
const settled = async (source: string, count: number) => until(async () => (await changes(source)).length >= count)
const deliveries = (key: string) =>
  studio.db.rows<{ outcome: string }>(
    sql`select outcome from deliveries where integration_id = ${studio.world.integrations![key]!.id}`,
  )

describe('the Perforce bridge', () => {
  const depot = join(folder, 'depot.json')
  /** Lists newest first unless started at a number, like p4; an error is a line, and p4 exits with 0. */
  const p4 = standIn(
    folder,
    'p4',
    `const depot = JSON.parse(fs.readFileSync(${JSON.stringify(depot)}))
     const print = (record) => console.log(JSON.stringify(record))
     if (depot.away) { print({ data: 'Perforce client error:\\n\\tConnect to server failed', generic: 38, severity: 3 }); process.exit(0) }
     if (args[2] === 'users') {
       if (depot.hidden) print({ data: 'You do not have permission for this operation.', generic: 33, severity: 3 })
       else print({ User: 'kdoe', Email: 'kim@owl.example', FullName: 'K. D.', Type: 'standard' })
     } else if (args[2] === 'changes') {
       const from = args.includes('-e') ? Number(args[args.indexOf('-e') + 1]) : 0
       for (const change of depot.submitted.filter((one) => one >= from)) print({ change: String(change), user: 'kim', status: 'submitted', desc: 'cut sho' })
     } else {
       const n = args[4]
       while (Number(n) >= JSON.parse(fs.readFileSync(${JSON.stringify(depot)})).stuck) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
       print({ change: n, user: 'STUDIO\\\\kim', client: 'ws', time: '1700000000', desc: 'Paint ' + n + '\\n', status: 'submitted',
         depotFile0: '//depot/T_' + n + '.png', action0: 'add', type0: 'binary', rev0: '1', fileSize0: '12', digest0: 'ABC' })
     }`,
  )
  const submitted = (numbers: number[], more: object = {}) =>
    writeFileSync(depot, JSON.stringify({ submitted: numbers, ...more }))
  const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)

  test('starts at the newest, survives kill -9 in the middle, and closes its gap without a duplicate', async () => {
    submitted(upTo(5))
    const first = bridge('perforce', p4, '--once')
    expect(await first.ended, first.said()).toBe(0)
    expect(await changes('Changelist')).toEqual([])

    submitted(upTo(30).reverse(), { stuck: 20 })
    const second = bridge('perforce', p4)
    await until(async () => (await deliveries('perforce')).length >= 8)
    second.child.kill('SIGKILL')
    expect(await second.ended).toBe('SIGKILL')

    // A late one with an earlier number, and new ones from the time it was down. The number 28 was returned.
    submitted([...upTo(27), 29, 30, 31, 32].reverse())
    const third = bridge('perforce', p4, '--once')
    expect(await third.ended, third.said()).toBe(0)
    submitted([...upTo(32)].reverse())
    const fourth = bridge('perforce', p4, '--once')
    expect(await fourth.ended, fourth.said()).toBe(0)
    await settled('Changelist', 27)

    const found = await changes('Changelist')
    expect(found.map(({ identifier }) => Number(identifier)).sort((a, b) => a - b)).toEqual(upTo(32).slice(5))
    expect(found[0]).toMatchObject({
      author: 'STUDIO\\kim',
      description: expect.stringContaining('Paint '),
      timestamp: '2023-11-14T22:13:20.000Z',
    })
    expect(await studio.db.rows(sql`select count(*) as assets, max(version) as version from assets`)).toEqual([
      { assets: 27, version: 1 },
    ])
    const repeats = (await deliveries('perforce')).filter(({ outcome }) => outcome === 'duplicate')
    expect(repeats.length).toBeLessThanOrEqual(1)
    expect(JSON.parse(readFileSync(join(folder, 'perforce.json'), 'utf8'))).toMatchObject({ newest: 32 })
  })

  test('proposes the users of the server once a day, and goes on if the server hides them', async () => {
    const proposed = () => studio.db.rows(sql`select uid, found_by, found_in from connected_accounts order by id`)
    await studio.db.execute(sql`delete from connected_accounts`)
    const state = join(folder, 'perforce.json')
    const { people, ...rest } = JSON.parse(readFileSync(state, 'utf8'))
    expect(people).toBeGreaterThan(0)
    const run = async (told: number, users: object = {}, ...args: string[]) => {
      writeFileSync(state, JSON.stringify({ ...rest, people: told }))
      submitted(upTo(32), users)
      const round = bridge('perforce', p4, '--once', ...args)
      expect(await round.ended, round.said()).toBe(0)
      return round.said()
    }
    await run(people)
    await run(0, {}, '--no-people')
    expect(await run(0, { hidden: true })).toContain('You do not have permission')
    expect(await proposed()).toEqual([])
    await run(0)
    expect(await proposed()).toEqual([{ uid: 'kdoe', found_by: 'address', found_in: studio.world.accounts!.owl!.id }])
    expect(await studio.db.rows(sql`select from connected_account_confirmations`)).toEqual([])
  })

  test('prints why it cannot continue', async () => {
    submitted([], { away: true })
    const away = bridge('perforce', p4, '--once')
    expect(await away.ended).toBe(1)
    expect(away.said()).toContain('Connect to server failed')
    const missing = bridge('perforce', join(folder, 'nowhere'), '--once')
    expect(await missing.ended).toBe(1)
    expect(missing.said()).toContain('Install it')
    submitted(upTo(33))
    const stranger = bridge('perforce', p4, '--once', '--token', '0'.repeat(64))
    expect(await stranger.ended).toBe(1)
    expect(stranger.said()).toContain('404')
    for (secret of ['', 'another secret']) {
      const unsigned = bridge('perforce', p4, '--once')
      expect(await unsigned.ended).toBe(1)
      expect(unsigned.said()).toContain('401')
    }
    secret = SECRET
  })
})

describe('the Lore bridge', () => {
  const repository = join(folder, 'lore-repository.json')
  const hash = (branch: string, number: number) => Buffer.from(`${branch}-${number}`).toString('hex').padEnd(64, '0')
  /** Prints what `lore --json` printed in captures: events, each with its tag, and the result at the end. */
  const lore = standIn(
    folder,
    'lore',
    `const read = () => JSON.parse(fs.readFileSync(${JSON.stringify(repository)}))
     const hash = (branch, n) => Buffer.from(branch + '-' + n).toString('hex').padEnd(64, '0')
     const print = (tagName, data) => console.log(JSON.stringify({ tagName, data }))
     const done = () => print('complete', { status: 0, error: { errorCode: 0, message: '', traceLocations: [] } })
     const command = args.filter((one) => !one.startsWith('--json') && one !== '--remote').join(' ')
     if (command === 'branch list') {
       for (const [name, latest] of Object.entries(read())) for (const location of ['local', 'remote'])
         print('branchListEntry', { location, name, id: 'id-' + name, latest: hash(name, location === 'local' ? 1 : latest), isCurrent: name === 'main', archived: false })
       done()
     } else if (command.startsWith('revision history')) {
       const branch = args[args.indexOf('--branch') + 1], most = Number(args.at(-1))
       print('revisionHistory', { repository: 'repo', branch: 'id-' + branch })
       for (let n = read()[branch], shown = 0; n > 0 && shown < most; n--, shown++) {
         print('revisionHistoryEntry', { revision: hash(branch, n), revisionNumber: n, parent: [hash(branch, n - 1), '0'.repeat(64)] })
         print('metadata', { key: 'timestamp', value: { tagName: 'numeric', data: 1783602540320 } })
         print('metadata', { key: 'message', value: { tagName: 'string', data: 'Revision ' + n } })
         print('metadata', { key: 'created-by', value: { tagName: 'string', data: 'kim@example.com' } })
       }
       done()
     } else {
       let known = read()
       setInterval(() => {
         const now = read()
         for (const branch of Object.keys(now)) for (let n = (known[branch] ?? 0) + 1; n <= now[branch]; n++)
           print('notificationBranchPushed', { revision: hash(branch, n), revisionNumber: n, branch: 'id-' + branch, userId: 'kim' })
         known = now
       }, 50)
     }`,
  )
  const pushed = (branches: Record<string, number>) => writeFileSync(repository, JSON.stringify(branches))
  const found = async () => (await changes('AssetCommit')).map(({ identifier }) => identifier).sort()
  const expected = (branch: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => hash(branch, from + i)).sort()

  test('reports pushes as they arrive, survives kill -9, and closes its gap without a duplicate', async () => {
    pushed({ main: 3, art: 2 })
    const first = bridge('lore', lore)
    await until(() => first.child.exitCode !== null || existsState())
    pushed({ main: 5, art: 2 })
    await settled('AssetCommit', 2)
    first.child.kill('SIGKILL')
    await first.ended
    expect(await found()).toEqual(expected('main', 4, 5))

    pushed({ main: 9, art: 6 })
    const second = bridge('lore', lore)
    await settled('AssetCommit', 10)
    pushed({ main: 10, art: 6 })
    await settled('AssetCommit', 11)
    second.child.kill('SIGTERM')
    expect(await second.ended, second.said()).toBe(0)

    expect(await found()).toEqual([...expected('main', 4, 10), ...expected('art', 3, 6)].sort())
    const fourth = (await changes('AssetCommit')).find(({ identifier }) => identifier === hash('main', 4))
    expect(fourth).toMatchObject({
      author: 'kim@example.com',
      description: 'Revision 4',
      branch: 'main',
      timestamp: '2026-07-09T13:09:00.320Z',
    })
  })

  const existsState = () => {
    try {
      return readFileSync(join(folder, 'lore.json'), 'utf8') !== ''
    } catch {
      return false
    }
  }
})
