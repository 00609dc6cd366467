import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { performed } from '../../test/support/callers/in-process.ts'
import { testWith } from '../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { sql } from '../db/database.ts'
import type { Loaded } from '../world/loaded.ts'
import { buildProgram } from './main.ts'

let studio: Studio
let line: CommandLine
let project: string[]
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  line = new CommandLine({
    GOLDMASTER_HOST: studio.site,
    GOLDMASTER_TOKEN: studio.world.tokens!.all!.token as string,
  })
  project = ['--project', String(studio.world.projects!.star!.id)]
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

test('--jq queries the JSON in the language of jq; an invalid query is refused before anything is done', async () => {
  const query = 'map(.title) | sort | .[0]'
  const tasks = JSON.parse((await line.run(['tasks', 'list', '--json', ...project])).out)
  const [first] = tasks.map(({ title }: { title: string }) => title).sort()
  expect((await line.run(['tasks', 'list', '--jq', query, ...project])).out).toBe(`${first}\n`)
  const narrowed = await line.run(['tasks', 'list', '--json', 'id', '--jq', '.[0] | keys', ...project])
  expect(narrowed.out).toBe('["id"]\n')
  // Real jq: the cases that imitations get wrong.
  expect((await line.run(['whoami', '--jq', '.nothing // "else"'])).out).toBe('else\n')
  const wrong = await line.run(['tasks', 'create', '--title', 'never made', '--jq', '.[', ...project])
  expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/^goldmaster: --jq: [^\n]+\n$/) })
  expect((await line.run(['tasks', 'list', '--query', 'never made', ...project])).out).toBe('')
  expect(await line.run(['tasks', 'list', '--jq', '.', '--pick', '[]', ...project])).toMatchObject({ code: 2 })
})

test('--version after a command is the option of the command, and before any the version of the program', async () => {
  const asset = String(studio.world.assets!.asset4!.id)
  const { code, out } = await line.run(['comments', 'add', 'asset', asset, 'Too dark', '--version', '1', '--json', ...project])
  expect([code, JSON.parse(out)]).toMatchObject([0, { body: 'Too dark', asset_version: 1 }])
  expect((await line.run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(await line.run(['tasks', 'list', '--version', ...project])).toMatchObject({ code: 2, out: '' })
})

test('--json of a list prints the array, and --envelope the page around it; the other formats read the same', async () => {
  const list = async (...flags: string[]) => (await line.run(['tasks', 'list', '--limit', '1', ...flags, ...project])).out
  const [task] = JSON.parse(await list('--json'))
  const page = { tasks: [task], pagination: { has_more: true } }
  expect(JSON.parse(await list('--json', '--envelope'))).toMatchObject(page)
  expect(JSON.parse(await list('--envelope'))).toMatchObject(page)
  expect(JSON.parse(await list('--json', 'id', '--envelope'))).toMatchObject({ ...page, tasks: [{ id: task.id }] })
  expect(await list('--pick', '[].id')).toBe(`${task.id}\n`)
  expect(await list('--pick', 'tasks[].id', '--envelope')).toBe(`${task.id}\n`)
  expect(await list('--jq', '.[].id')).toBe(`${task.id}\n`)
  expect(await list('--jq', '.pagination.has_more', '--envelope')).toBe('true\n')
  expect(await list('--template', '{{pagination.has_more}}', '--envelope')).toBe('true\n')
})

test.each([
  ['tasks[].id', 'use [].id, or add --envelope'],
  ['pagination.limit', 'use [], or add --envelope'],
  ['nothing', 'unknown field nothing'],
])('--pick %s of a list is refused before any request', async (path, advice) => {
  const { code, err } = await line.run(['tasks', 'list', '--pick', path, ...project])
  expect(code).toBe(2)
  expect(err).toContain(advice)
})

test('--template prints a line for every row, and one for a single record', async () => {
  const { out } = await line.run(['tasks', 'list', '--template', '{{id}}\\t{{ title }}!', '--limit', '2', ...project])
  expect(out).toMatch(/^\d+\t[^\t]+!\n\d+\t[^\t]+!\n$/)
  expect((await line.run(['whoami', '--template', '{{token.scopes[0]}}'])).out).toBe('ping\n')
  for (const [template, place] of [
    ['{{user_id}} {{a b}}', 'a b is not a path.*character 13 of '],
    ['at {{user_id}', 'must enclose a path.*character 4 of '],
    ['{{user_id}}: {{token.nam}}', 'character 14 of '],
  ] as const)
    expect(await line.run(['whoami', '--template', template])).toMatchObject({
      code: 2,
      err: expect.stringMatching(new RegExp(`^goldmaster: --template: .*${place}"`)),
    })
})

test('--verbose prints every request and never the token', async () => {
  const { out, err } = await line.run(['whoami', '--verbose', '--pick', 'user_id'])
  expect(out).toMatch(/^\d+\n$/)
  expect(err).toMatch(new RegExp(`^> GET ${studio.site}/api/v1/ping\n< 200, application/json[^\n]*, \\d+ bytes[^\n]* ms\n$`))
  expect(err).not.toContain(studio.world.tokens!.all!.token)
})

/** A command line for every command about something in a project, and its page. */
const PAGES = (id: (list: keyof Loaded, key: string) => string): readonly (readonly [words: string, page: string])[] => {
  const [task, build, asset] = [id('tasks', 'task3'), id('build_runs', 'build7'), id('assets', 'asset2')]
  const [deployment, breakage] = [id('deployments', 'deployment4'), id('breakages', 'breakage5')]
  return [
    ['projects show', ''],
    ['status', '/branches'],
    ['watch', ''],
    ['tasks list', '/tasks'],
    [`tasks show ${task}`, `/tasks/${task}`],
    ['tasks create', '/tasks'],
    [`tasks edit ${task} --state completed`, `/tasks/${task}`],
    [`tasks start ${task}`, `/tasks/${task}`],
    [`tasks done ${task}`, `/tasks/${task}`],
    ['builds list', '/builds'],
    [`builds show ${build}`, `/builds/${build}`],
    [`builds changes ${build}`, `/builds/${build}`],
    [`builds log ${build}`, `/builds/${build}`],
    [`builds tests ${build}`, `/builds/${build}`],
    [`builds artifacts ${build}`, `/builds/${build}`],
    [`builds download ${build}`, `/builds/${build}`],
    [`builds share ${build}`, `/builds/${build}`],
    [`builds share-links ${build}`, `/builds/${build}`],
    ['builds unshare 1', '/builds'],
    ['measures list', '/measures'],
    ['measures show package', '/measures'],
    ['measures costs', '/measures/costs'],
    ['measures budgets', '/measures'],
    ['measures add-budget package --max 5', '/measures'],
    ['measures remove-budget 1', '/measures'],
    ['agents list', '/agents'],
    ['agents mute BUILD-07 --reason disk', '/agents'],
    ['agents unmute BUILD-07', '/agents'],
    ['tests list', '/tests'],
    ['tests show 7', '/tests/7'],
    ['tests quarantine 7 --reason slow', '/tests/7'],
    ['tests release 7', '/tests/7'],
    [`builds watch ${build}`, `/builds/${build}`],
    [`builds investigate ${build}`, `/builds/${build}`],
    ...['retry', 'stop', 'start'].map((action) => [`builds ${action} ${build}`, `/builds/${build}`] as const),
    ['breakages list', '/breakages'],
    ['breakages assignment', '/settings'],
    [`breakages show ${breakage}`, `/breakages/${breakage}`],
    [`breakages claim ${breakage}`, `/breakages/${breakage}`],
    [`breakages mute ${breakage}`, `/breakages/${breakage}`],
    [`breakages resolve ${breakage}`, `/breakages/${breakage}`],
    [`breakages reopen ${breakage}`, `/breakages/${breakage}`],
    [`breakages task ${breakage}`, `/breakages/${breakage}`],
    [`breakages bisect ${breakage}`, `/breakages/${breakage}`],
    [`builds correct ${build} --category network`, `/builds/${build}`],
    ['corrections list', '/builds'],
    [`corrections undo ${id('corrections', 'correction4')}`, '/builds'],
    ['changes list', '/changes'],
    [`changes show ${id('changes', 'change1')}`, `/changes/${id('changes', 'change1')}`],
    ['assets list', '/assets'],
    [`assets show ${asset}`, `/assets/${asset}`],
    ['approvals list', '/approvals'],
    [`approvals show ${id('approvals', 'approval2')}`, `/assets/${asset}`],
    [`approvals approve ${id('approvals', 'approval2')}`, `/assets/${asset}`],
    [`approvals deny ${asset}`, `/assets/${asset}`],
    [`approvals ignore ${asset}`, `/assets/${asset}`],
    ['approvals rules', '/settings'],
    ['approvals add-rule --path Art/*', '/settings'],
    ['approvals remove-rule 1', '/settings'],
    ['approvals reset-rules', '/settings'],
    ['approvals preview-rule --path Art/*', '/settings'],
    [`previews list ${asset}`, `/assets/${asset}`],
    ['previews upload Previews', '/assets'],
    [`history breakage ${breakage}`, `/breakages/${breakage}`],
    [`comments list breakage ${breakage}`, `/breakages/${breakage}`],
    [`comments add build_run ${build} Seen`, `/builds/${build}`],
    [`comments edit ${id('comments', 'comment4')} Seen`, `/tasks/${id('tasks', 'task4')}`],
    [`comments delete ${id('comments', 'comment4')}`, `/tasks/${id('tasks', 'task4')}`],
    [`comments resolve ${id('comments', 'point4')}`, `/assets/${id('assets', 'asset4')}`],
    ['deployments list', '/deployments'],
    [`deployments show ${deployment}`, `/deployments/${deployment}`],
    [`deployments compare ${id('deployments', 'deployment3')} ${deployment}`, `/deployments/${deployment}`],
    [`deployments link ${deployment} --build ${build}`, `/deployments/${deployment}`],
    [`deployments set-status ${deployment} live --note seen`, `/deployments/${deployment}`],
    ['branches list', '/branches'],
    ['branches mark-good main 4711 --reason played', '/branches'],
    ['branches unmark-good main 4711', '/branches'],
    ['lkg', '/branches'],
    ['preflight --shelf 1', '/builds'],
    ['members', '/members'],
    ['tests gate', '/settings'],
  ]
}

/** Shows pages anyway, is about all projects or about anything, or runs a command on this machine. */
const OTHERWISE = ['open', 'feed', 'mcp', 'api', 'bisect']

test('--web opens the page of a command, and does nothing else', async () => {
  const about = PAGES((list, key) => String(studio.world[list]![key]!.id))
  const before = await everything()
  for (const [words, page] of about) {
    const printed = await performed([...words.split(' '), '--web', ...project], { env: line.env })
    expect(printed.trim().replace(/^https?:\/\/[^/]+/, ''), words).toBe(`/projects/${project[1]}${page}`)
  }
  expect(await everything()).toEqual(before)
  for (const words of ['projects list', 'feed', 'whoami'])
    expect(await performed([...words.split(' '), '--web'], { env: line.env })).toMatch(new RegExp(`^${studio.site}/`))
  const missing: string[] = []
  const walk = (command: Command, words: string[]) => {
    for (const inner of command.commands) walk(inner as Command, [...words, inner.name()])
    const name = words.join(' ')
    const inProject = command.options.some(({ long }) => long === '--project')
    if (inProject && !OTHERWISE.includes(name) && !about.some(([each]) => `${each} `.startsWith(`${name} `))) missing.push(name)
  }
  walk(await buildProgram({}), [])
  expect(missing).toEqual([])
})

const everything = () =>
  studio.db.rows(sql`
  select (select count(*) from investigations) as investigations, (select array_agg(state order by id) from tasks) as tasks,
    (select array_agg(state order by id) from breakages) as breakages, (select array_agg(status order by id) from approvals) as approvals`)

testWith('script')('an output longer than the screen goes through the pager, a shorter one does not', async () => {
  const paged = (rows: number, env = {}) =>
    line.terminal(['tasks', 'list', ...project], { rows, env: { GOLDMASTER_PAGER: 'sed s/^/paged:/', ...env } })
  expect((await paged(3)).out).toMatch(/^paged:/)
  expect((await paged(60)).out).not.toContain('paged:')
  expect((await paged(3, { GOLDMASTER_PAGER: 'cat' })).out).not.toContain('paged:')
  // A missing pager must not suppress the output.
  expect((await paged(3, { GOLDMASTER_PAGER: 'no-such-pager' })).out).toContain('Task 22')
})
