import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratch, standIn } from '../../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { sql } from '../../../db/database.ts'
import { allowedHosts } from '../../../net/addresses.ts'
import { ingest } from '../../ingest.ts'
import type { JobContext } from '../../job-context.ts'
import { describeChangelist } from './describe-job.ts'
import { describe as describeServer } from './server.ts'

const MOVE = resolve(import.meta.dirname, 'fixtures/describe__move.jsonl')

let studio: Studio
let outside: JobContext & { p4: string }
const { folder, remove } = scratch()

beforeAll(async () => {
  const server = { server: 'ssl:127.0.0.1:1666', user: 'gold', password: 'a ticket', charset: 'utf8' }
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [
      { key: 'p4', project: 'star', provider: 'perforce', config: server },
      { key: 'plain', project: 'star', provider: 'perforce' },
      { key: 'rsh', project: 'star', provider: 'perforce', config: { server: 'rsh:touch /tmp/owned' } },
    ],
  })
  const { db, vault, log } = studio.service
  outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']), p4: 'p4 that is not there' }
})
afterAll(async () => {
  await studio.close()
  remove()
})

let name = 0
const p4 = (script: string) => standIn(folder, `p4-${++name}`, script)
/** What p4 prints with exit code 0. */
const complains = (data: string) => p4(`console.log(JSON.stringify({ data: ${JSON.stringify(data)}, generic: 38, severity: 3 }))`)

/** A trigger that reports only a number; returns the job that reads the rest. */
async function reported(changelist: number, key = 'p4') {
  const token = studio.world.integrations![key]!.webhook_token as string
  const { json } = await studio.ask(`/webhooks/perforce?token=${token}`, { method: 'POST', body: { changelist } })
  const account_id = studio.world.accounts!.owl!.id as number
  await ingest(studio.db, { account_id, delivery_id: Number(json.delivery_id) })
  const job = await studio.db.one<{ payload: { account_id: number; change_id: number } }>(sql`
    select payload from jobs where kind = 'describe_changelist' order by id desc limit 1`)
  const change = (await studio.db.one<{ id: number }>(sql`select id from changes where identifier = ${String(changelist)}`))!
  return { id: change.id, account_id, payload: job?.payload }
}
const change = (id: number) =>
  studio.db.one(sql`select author, description, file_count, asset_count, url from changes where id = ${id}`)

describe('a changelist known by its number', () => {
  test('is filled in from the server, with its assets, once however often it is requested', async () => {
    const { id, account_id, payload } = await reported(6000)
    expect(payload).toEqual({ account_id, change_id: id })
    const seen = join(folder, 'seen.json')
    const env = 'Object.fromEntries(Object.entries(process.env).filter(([k]) => /^P4|SECRET|DATABASE/.test(k)))'
    const site = JSON.stringify({ name: 'P4.Swarm.URL', value: 'https://swarm.example/' })
    const real = p4(`if (args[2] === 'property') return console.log(${JSON.stringify(site)})
      if (args[2] === 'describe') fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ args, env: ${env} }))
      process.stdout.write(fs.readFileSync(${JSON.stringify(MOVE)}))`)
    for (let times = 0; times < 2; times++) await describeChangelist({ ...outside, p4: real }, payload!)
    expect(await change(id)).toMatchObject({
      author: 'abc',
      file_count: 3,
      asset_count: 1,
      url: 'https://swarm.example/changes/6000',
    })
    const assets = await studio.db.rows(sql`select path, version from assets`)
    expect(assets).toEqual([
      { path: '//other-depot/third_party/unreal/4.24/Engine/Source/ThirdParty/ADO/ADO.Build.cs', version: 1 },
    ])
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({
      args: ['-Mj', '-ztag', 'describe', '-s', '6000'],
      env: {
        P4PORT: 'ssl:127.0.0.1:1666',
        P4USER: 'gold',
        P4PASSWD: 'a ticket',
        P4CHARSET: 'utf8',
        P4CONFIG: '.no-such-file',
        P4TICKETS: expect.stringMatching(/goldmaster-p4-.+tickets$/),
        P4TRUST: expect.stringMatching(/goldmaster-p4-.+trust$/),
        P4ENVIRO: expect.stringMatching(/goldmaster-p4-.+enviro$/),
      },
    })
  })

  test('with more files than can be read has none, and only if all of them are where the integration may look', async () => {
    const long = (path: string) =>
      p4(`const record = { change: args.at(-1).split(',@').at(-1), user: 'ann', time: '1790000000', desc: 'Engine', status: 'submitted' }
        if (args[2] === 'changes') console.log(JSON.stringify({ ...record, path: ${JSON.stringify(path)} }))
        if (args[2] !== 'describe') return
        process.stdout.write(JSON.stringify(record).slice(0, -1) + ',"type":"text"'.repeat(410_000) + '}')`)
    const { id, payload } = await reported(6020)
    await describeChangelist({ ...outside, p4: long('//game/main/Engine/...') }, payload!)
    expect(await change(id)).toMatchObject({ author: 'ann', description: 'Engine', file_count: null })
    const bound = await reported(6021)
    await studio.db.execute(sql`
      update integrations set every_place = false, config = config || '{"depot_paths": "//game/main"}' where provider = 'perforce'`)
    for (const path of ['//secret/main/...', '//game/...', '//...'])
      await expect(describeChangelist({ ...outside, p4: long(path) }, bound.payload!)).rejects.toThrow('not in the depot paths')
    expect(await change(bound.id)).toMatchObject({ author: '', file_count: null })
    await describeChangelist({ ...outside, p4: long('//game/main/*') }, bound.payload!)
    expect(await change(bound.id)).toMatchObject({ author: 'ann', file_count: null })
    await studio.db.execute(
      sql`update integrations set every_place = true, config = config - 'depot_paths' where provider = 'perforce'`,
    )
  })

  test('is asked for without the tickets and settings of whoever runs the service, if the settings have no password', async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    const files = ['.p4tickets', 'p4tickets.txt', '.p4trust', '.p4enviro']
    for (const file of files) writeFileSync(join(home, file), '127.0.0.1:1666=gold:A0B1C2')
    const seen = join(folder, 'tickets.json')
    const server = p4(`const { HOME, USERPROFILE, P4TICKETS, P4TRUST, P4ENVIRO, P4PASSWD } = process.env
      const places = [P4TICKETS, P4TRUST, P4ENVIRO, ...[HOME, USERPROFILE].flatMap((home) => ${JSON.stringify(files)}.map((file) => home + '/' + file))]
      fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ home: HOME, P4PASSWD, found: places.filter((place) => fs.existsSync(place)) }))
      console.log('{}')`)
    const before = { HOME: process.env.HOME, USERPROFILE: process.env.USERPROFILE }
    Object.assign(process.env, { HOME: home, USERPROFILE: home })
    try {
      await describeServer({ server: '127.0.0.1:1666', user: 'gold' }, '1', { allowed: allowedHosts(['127.0.0.1']), p4: server })
    } finally {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    }
    const { home: given, ...rest } = JSON.parse(readFileSync(seen, 'utf8'))
    expect(rest).toEqual({ found: [] })
    expect(existsSync(given)).toBe(false)
  })

  test('that the server calls pending is on no branch, and a build of it is a preflight', async () => {
    const { id, payload } = await reported(42)
    const { integrations } = await studio.load({
      integrations: [{ key: 'ci', project: Number(studio.world.projects!.star!.id), provider: 'jenkins' }],
    })
    const build = async (number: string) => {
      const { json } = await studio.ask(`/webhooks/ci?token=${integrations!.ci!.webhook_token}`, {
        method: 'POST',
        body: { job_name: 'Cook', build_number: number, status: 'failed', changelist: '42', branch: '//SampleDepot/main' },
      })
      return json.records[0].id as number
    }
    const before = await build('1')
    const pending = resolve(import.meta.dirname, 'fixtures/describe__pending.jsonl')
    const server = p4(`if (args[2] === 'describe') process.stdout.write(fs.readFileSync(${JSON.stringify(pending)}))`)
    await describeChangelist({ ...outside, p4: server }, payload!)
    const after = await build('2')
    const builds = await studio.db.rows(sql`select kind from build_runs where id in (${before}, ${after})`)
    expect(builds).toEqual([{ kind: 'preflight' }, { kind: 'preflight' }])
    expect(await studio.db.rows(sql`select from change_branches where change_id = ${id}`)).toEqual([])
  })

  test('is on the streams that the server lists, including importing and virtual ones', async () => {
    const { id, payload } = await reported(6050)
    const streams = [
      { Stream: '//Some-Depot/ue4/Release-4.24', Parent: 'none', Type: 'mainline' },
      { Stream: '//some-depot/artists', Parent: '//Some-Depot/ue4/Release-4.24', Type: 'virtual' },
      { Stream: '//game/main', Parent: 'none', Type: 'mainline' },
    ]
    const spec = {
      Stream: '//game/main',
      Paths0: 'share ...',
      Paths1: 'import+ Engine/... "//other-depot/third_party/unreal/..."',
    }
    const server =
      p4(`if (args[2] === 'streams') console.log(${JSON.stringify(streams.map((one) => JSON.stringify(one)).join('\n'))})
      else if (args[2] === 'stream') console.log(args[4] === '//game/main' ? ${JSON.stringify(JSON.stringify(spec))} : '{"data":"none"}')
      else process.stdout.write(fs.readFileSync(${JSON.stringify(MOVE)}, 'utf8').replaceAll('6000', '6050'))`)
    await studio.db.execute(sql`update integrations set streams_at = null`)
    await describeChangelist({ ...outside, p4: server }, payload!)
    const branches = await studio.db.rows<{ branch: string }>(
      sql`select branch from change_branches where change_id = ${id} order by id`,
    )
    expect(branches.map(({ branch }) => branch)).toEqual(['//some-depot/ue4/release-4.24', '//some-depot/artists', '//game/main'])
  })

  test('stays unchanged, and the job fails with the reason, when the server refuses although p4 exits with 0', async () => {
    const { id, payload } = await reported(6100)
    for (const said of [
      'Perforce password (P4PASSWD) invalid or unset.\n',
      '6100 - no such changelist.\n',
      'TCP connect to 127.0.0.1:1666 failed.\n',
    ])
      await expect(describeChangelist({ ...outside, p4: complains(said) }, payload!)).rejects.toThrow(said.trim())
    expect(await change(id)).toMatchObject({ author: '', file_count: null })
  })

  test('stays unchanged when p4 is missing, fails, hangs, prints nothing, or describes another change', async () => {
    const { payload } = await reported(6200)
    const ask = (path: string, signal?: AbortSignal) => describeChangelist({ ...outside, p4: path }, payload!, signal)
    await expect(ask(join(folder, 'nowhere'))).rejects.toThrow('not installed')
    await expect(ask(p4(`console.error('Connect to server failed'); process.exit(1)`))).rejects.toThrow(
      'Connect to server failed',
    )
    await expect(ask(p4('setInterval(() => {}, 1000)'), AbortSignal.timeout(300))).rejects.toThrow('took too long')
    await expect(ask(p4(''))).rejects.toThrow('described no change')
    await expect(ask(p4(`process.stdout.write(fs.readFileSync(${JSON.stringify(MOVE)}))`))).rejects.toThrow('6000 instead')
  })

  test('trusts the server by the configured fingerprint, and forgets it afterwards', async () => {
    const seen = join(folder, 'trusted.txt')
    const careful = p4(`fs.appendFileSync(${JSON.stringify(seen)}, args.join(' ') + ' ' + process.env.P4TRUST + '\\n')
      if (args[0] !== 'trust') process.stdout.write(fs.readFileSync(${JSON.stringify(MOVE)}))`)
    const config = { server: 'ssl:127.0.0.1:1666', fingerprint: 'AB:CD' }
    const { allowed } = outside
    await describeServer(config, '6000', { allowed, p4: careful })
    const lines = readFileSync(seen, 'utf8').trim().split('\n')
    expect(lines.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual(['trust -i AB:CD', '-Mj -ztag describe'])
    expect(existsSync(lines[0]!.split(' ').at(-1)!)).toBe(false)
  })

  test('calls no server without a configured one, no private one without permission, and runs no command', async () => {
    const before = await studio.db.rows(sql`select id from jobs`)
    const { id, account_id } = await reported(6300, 'plain')
    expect((await studio.db.rows(sql`select id from jobs`)).length).toBe(before.length + 1)
    await describeChangelist(outside, { account_id, change_id: id })
    const { payload } = await reported(6400)
    for (const entries of [[], ['jenkins:127.0.0.1', 'perforce:127.0.0.1:9']])
      await expect(
        describeChangelist({ ...outside, allowed: allowedHosts(entries, ['jenkins', 'perforce']) }, payload!),
      ).rejects.toThrow('ALLOW_PRIVATE_HOSTS')
    const rsh = await reported(6500, 'rsh')
    await expect(describeChangelist(outside, { account_id, change_id: rsh.id })).rejects.toThrow('must look like')
  })
})
