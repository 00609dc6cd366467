import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminOf } from '../../test/support/admin.ts'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { performed } from '../../test/support/callers/in-process.ts'
import { describeWith } from '../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { longNames } from '../../test/support/studios/long-names.ts'
import { sql } from '../db/database.ts'
import { put } from '../domain/investigations/failure-rules.ts'
import { columnsOf } from '../terminal/text.ts'
import type { Loaded } from '../world/loaded.ts'
import { buildProgram } from './main.ts'

/** Every list with the heading of its main column. */
const LISTS: Readonly<Record<string, string>> = {
  'projects list': 'NAME',
  'tasks list': 'TITLE',
  'builds list': 'JOB',
  'builds changes': 'DESCRIPTION',
  'breakages list': 'CAUSE',
  'corrections list': 'LINE',
  'changes list': 'DESCRIPTION',
  'assets list': 'NAME',
  'approvals list': 'ASSET',
  'deployments list': 'VERSION',
  'comments list': 'BODY',
  history: 'WHAT',
  'previews list': 'REASON',
  'branches list': 'NAME',
  members: 'ACCOUNTS',
  feed: 'MESSAGE',
  'alias list': 'COMMAND',
  'config list': 'VALUE',
  'admin account list': 'NAME',
  'admin user list': 'EMAIL',
  'admin project list': 'NAME',
  'admin token list': 'NAME',
  'admin integration list': 'PROVIDER',
  'admin deliveries list': 'MESSAGE',
  'admin deliveries health': 'PROVIDER',
  'admin webhook list': 'URL',
  'admin webhook log': 'ERROR',
  'admin ugs-token list': 'NAME',
  'admin rule list': 'RULE',
  'admin audit list': 'ACTION',
}
const LEAST = 24
const RULE = {
  id: 'lighthouse-baker.missing-lightmap-of-the-lantern-room',
  tool: 'Lighthouse Baker',
  category: 'cook_asset_error',
  role: 'root',
  need: ['BAKE-'],
  match: '^BAKE-\\d+ (?<file>\\S+): (?<msg>.*)',
  score: 90,
  examples: [{ log: 'baking\nBAKE-17 Maps/Sky.map: no lightmap\n', line: 2 }],
}

let audited: string
let pictured: string
let studio: Studio
let env: Record<string, string>
const home = mkdtempSync(join(tmpdir(), 'goldmaster-lists-'))
const idOf = (list: keyof Loaded, key: string) => String(studio.world[list]![key]!.id)
const ofStudio = () => ({ beside: adminOf({ db: studio.db, vault: studio.service.vault }), env })

beforeAll(async () => {
  studio = await openStudio(longNames())
  const { token } = studio.world.tokens!.all!
  env = { GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: String(token), NO_COLOR: '1', XDG_CONFIG_HOME: home }
  const ci = `/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`
  const report = { job_name: 'CinderCoast-Console-Certification-Shipping-PS5-Incremental', build_number: 4_117 }
  await studio.ask(ci, { method: 'POST', body: { ...report, status: 'FAILURE' } })
  await studio.ask(ci, { method: 'POST', body: { ...report, status: 'EXPLODED' } })
  await put(studio.db, Number(idOf('accounts', 'salt')), RULE)
  const run = (...words: string[]) => performed(words, ofStudio())
  const url = 'https://hooks.salt-and-lantern.example/goldmaster/cinder-coast/console-certification/builds'
  await run('admin', 'webhook', 'add', '--account', idOf('accounts', 'salt'), '--url', url, '--events', 'build_run.*,approval.*')
  await studio.db.execute(sql`
    insert into messages (account_id, destination_id, event_id, position, event_type, payload, status, finished_at)
    select account_id, id, 'msg_0198c2f0b7d54e6f8890aa17c3e2d4' || lpad(to_hex(i * 77), 2, '0'), i, 'build_run.failed', '{}', 'failed', now() - interval '90 minutes'
    from destinations, generate_series(1, 2) i`)
  await studio.db.execute(sql`
    insert into attempts (account_id, message_id, action, at, milliseconds, error)
    select account_id, id, 'post', now(), 10000, 'No answer within 10 seconds: the other side took the connection and said nothing' from messages`)
  const name = 'everybody of the console certification team'
  await run('admin', 'ugs-token', 'add', '--project', idOf('projects', 'cinder'), '--name', name)
  await studio.db.execute(sql`update api_tokens set prefix = 'mQ3vX70' || id`)
  await studio.db.execute(sql`update ugs_tokens set prefix = 'kT9wB21' || id, created_at = now() - interval '100 minutes'`)
  await studio.db.execute(sql`update deliveries set received_at = now() - interval '90 minutes'`)
  await studio.db.execute(sql`update failure_rules set updated_at = now() - interval '100 minutes'`)
  await run(
    'alias',
    'set',
    'certification',
    "builds list --status failed --branch //CinderCoast/Release-0.9 --template '{{id}} {{urls.web}}'",
  )
  await run('config', 'set', 'pager', 'less --quit-if-one-screen --RAW-CONTROL-CHARS --no-init --chop-long-lines --shift=8')
  const preview = (await studio.db.one<{ asset_id: string }>(sql`
    insert into previews (account_id, project_id, asset_id, version, state, reason, updated_at)
    select account_id, project_id, id, version, 'none', 'This Unreal package was saved without a thumbnail. Save it again in the editor, or upload a picture.',
      now() - interval '100 minutes'
    from assets where name like 'SM_Lighthouse%LOD0.uasset' returning asset_id`))!
  pictured = preview.asset_id
  // In an account without other activity.
  const { id } = (await studio.db.one<{ id: number }>(sql`insert into accounts (name) values ('Gull Rock') returning id`))!
  audited = String(id)
  await studio.db.execute(sql`
    insert into audit_log (account_id, at, user_id, ip_address, action, subject)
    values (${id}, now() - interval '100 minutes', 1, '2001:db8:85a3:8d3:1319:8a2e:370:7348', 'replaceIntegrationSettings', 'integrations/4711')`)
})
afterAll(async () => {
  await studio?.close()
  rmSync(home, { recursive: true })
})

const project = () => ['--project', idOf('projects', 'cinder')]
const AFTER: Readonly<Record<string, () => string[]>> = {
  'projects list': () => [],
  feed: () => [],
  'alias list': () => [],
  'config list': () => [],
  'comments list': () => ['task', idOf('tasks', 'beacon'), ...project()],
  history: () => ['task', idOf('tasks', 'beacon'), ...project()],
  'previews list': () => [pictured, ...project()],
  'builds changes': () => [idOf('build_runs', 'red'), ...project()],
  'admin webhook log': () => ['1'],
  'admin rule list': () => ['--account', idOf('accounts', 'salt')],
  // Recent entries would be shown with their seconds.
  'admin audit list': () => [audited],
}
const printed = (command: string, columns: number) => {
  const after = AFTER[command] ?? (command.startsWith('admin') ? () => [] : project)
  return performed([...command.split(' '), ...after()], { ...ofStudio(), columns })
}

describe.each([80, 100])('at %i columns', (columns) => {
  test.each(Object.entries(LISTS))('%s is readable', async (command, main) => {
    const [head, ...rows] = (await printed(command, columns)).trimEnd().split('\n') as [string, ...string[]]
    expect(rows.length).toBeGreaterThan(0)
    for (const row of [head, ...rows]) expect(columnsOf(row), row).toBeLessThanOrEqual(columns)
    const headings = [...head.matchAll(/\S+(?: \S+)*/g)]
    const at = headings.findIndex(([heading]) => heading === main)
    expect(at, head).not.toBe(-1)
    const [from, to] = [headings[at]!.index, headings[at + 1] ? headings[at + 1]!.index - 2 : columns]
    const cells = rows.map((row) => between(row, from, to))
    if (cells.some((cell) => cell.includes('…'))) expect(to - from, head).toBeGreaterThanOrEqual(LEAST)
  })
})

/** By terminal columns: some characters are two columns wide. */
const between = (row: string, from: number, to: number) => {
  let place = 0
  return [...row].reduce((cell, character) => {
    place += columnsOf(character)
    return place > from && place <= to ? cell + character : cell
  }, '')
}

/** Needs measures, builds of the last 30 days, or names in tools, which the world here has not; prints several tables, each with its title. */
const LEFT_OUT = ['measures list', 'agents list', 'tests list', 'admin people list']

test('every list command, and every other that prints a table, is covered', async () => {
  const found: string[] = []
  const walk = (command: Command, words: string[]) => {
    for (const inner of command.commands) walk(inner as Command, [...words, inner.name()])
    if (command.name() === 'list') found.push(words.join(' '))
  }
  walk(await buildProgram(ofStudio().beside), [])
  expect(found.filter((command) => !(command in LISTS))).toEqual(LEFT_OUT)
})

test('the output is shown in docs/lists.md (npm run lists writes it)', async () => {
  const blocks: string[] = []
  for (const command of Object.keys(LISTS))
    blocks.push(`\`\`\`text\n$ goldmaster ${command}\n${steady(await printed(command, 80))}\`\`\`\n`)
  await expect(`${INTRODUCTION}\n${blocks.join('\n')}`).toMatchFileSnapshot(resolve('docs/lists.md'))
})

const INTRODUCTION = `# Lists at 80 columns

What the lists of the command line look like in a narrow window, with names as long as studios make them. \`--wide\` shows all of it, a pipe
gets every field uncut.
`

/** Long ids differ in every run. */
const steady = (text: string) => {
  let count = 0
  return text.replace(/^[0-9a-f]{8}(?= )/gm, () => (0x9c1f0f8e + 0x01a7_31 * count++).toString(16))
}

describeWith('script')('in a terminal', () => {
  let line: CommandLine
  beforeAll(async () => {
    line = new CommandLine({ ...env, GOLDMASTER_PAGER: 'cat' })
  })
  afterAll(() => line?.close())

  test.each([
    ['assets', 'NAME'],
    ['approvals', 'ASSET'],
    ['deployments', 'VERSION'],
  ])('%s can be shown by the short ids of their list', async (noun) => {
    const out = (await line.terminal([noun, 'list', ...project()], { columns: 80 })).out.replaceAll('\r', '')
    expect(out).toBe(await printed(`${noun} list`, 80))
    const short = out.split('\n')[1]!.split(' ')[0]!
    expect(short).toMatch(/^[0-9a-f]{8}$/)
    const shown = await line.run([noun, 'show', short, '--pick', 'id', ...project()])
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^[0-9a-f-]{28}${short}\n$`)) })
    expect(await performed([noun, 'list', '--wide', ...project()], { env, columns: 80 })).toContain(shown.out.trim())
    await expect(performed([noun, 'show', '00000000', ...project()], { env })).rejects.toMatchObject({ exit: 8 })
  })

  test('suspects are shown with changelist, subject and author, and the evidence is wrapped in full', async () => {
    const show = ['breakages', 'show', '1', ...project()]
    const { out } = await line.terminal(show, { columns: 80 })
    expect(out).toMatch(/^0\.\d\d {2}CL \d+ by (?!user:)\w[\w ]+: \w/m)
    expect(out.split('\nBuilds')[0]).not.toContain('…')
    for (const each of out.replaceAll('\r', '').split('\n')) expect(columnsOf(each), each).toBeLessThanOrEqual(80)
    expect((await line.run(show)).out).toMatch(/^\d+\tCL \d+\t\d*\t\w[^\t]*\t[\d.]+\t\w/m)
  })
})
