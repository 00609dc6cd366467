import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine, HAS_TERMINAL } from '../../test/support/command-line.ts'
import { nightOwl } from '../../test/support/night-owl.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'

let studio: Studio
let line: CommandLine
let project: string[]
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  line = await CommandLine.open({
    GOLDMASTER_HOST: studio.site,
    GOLDMASTER_TOKEN: studio.world.tokens!.all!.token as string,
  })
  project = ['--project', String(studio.world.projects!.star!.id)]
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

test('--jq asks the JSON in the language of jq; a query that is none is refused before anything is done', async () => {
  const query = '.tasks | map(.title) | sort | .[0]'
  const { tasks } = JSON.parse((await line.run(['tasks', 'list', '--json', ...project])).out)
  const [first] = tasks.map(({ title }: { title: string }) => title).sort()
  expect((await line.run(['tasks', 'list', '--jq', query, ...project])).out).toBe(`${first}\n`)
  const narrowed = await line.run(['tasks', 'list', '--json', 'id', '--jq', '.tasks[0] | keys', ...project])
  expect(narrowed.out).toBe('["id"]\n')
  // Real jq: what an imitation gets wrong first.
  expect((await line.run(['whoami', '--jq', '.nothing // "else"'])).out).toBe('else\n')
  const wrong = await line.run(['tasks', 'create', '--title', 'never made', '--jq', '.[', ...project])
  expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/^goldmaster: --jq: [^\n]+\n$/) })
  expect((await line.run(['tasks', 'list', '--query', 'never made', ...project])).out).toBe('')
  expect(await line.run(['tasks', 'list', '--jq', '.', '--pick', 'tasks', ...project])).toMatchObject({ code: 2 })
})

test('--template makes a line of every row, and of a document by itself', async () => {
  const { out } = await line.run(['tasks', 'list', '--template', '{{id}}\\t{{ title }}!', '--limit', '2', ...project])
  expect(out).toMatch(/^\d+\t[^\t]+!\n\d+\t[^\t]+!\n$/)
  expect((await line.run(['whoami', '--template', '{{token.scopes[0]}}'])).out).toBe('ping\n')
  expect(await line.run(['whoami', '--template', '{{a b}}'])).toMatchObject({ code: 2 })
})

test('--verbose tells every request and never the token', async () => {
  const { out, err } = await line.run(['whoami', '--verbose', '--pick', 'user_id'])
  expect(out).toMatch(/^\d+\n$/)
  expect(err).toMatch(new RegExp(`^> GET ${studio.site}/api/v1/ping\n< 200, application/json[^\n]*, \\d+ bytes[^\n]* ms\n$`))
  expect(err).not.toContain(studio.world.tokens!.all!.token)
})

test.each([['projects', 'list'], ['members'], ['lkg'], ['whoami'], ['builds', 'log', '7'], ['builds', 'changes', '7']])(
  '--web shows the page of %s %s',
  async (...words) => {
    const inside = words[0] === 'projects' || words[0] === 'whoami' ? [] : project
    const { code, out } = await line.run([...words, '--web', ...inside])
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`^${studio.site}/`))
    // The web app knows the address.
    expect((await fetch(out.trim())).status).toBe(200)
  },
)

test.runIf(HAS_TERMINAL)('an answer longer than the screen goes through the pager, a shorter one does not', async () => {
  const paged = (rows: number, env = {}) =>
    line.terminal(['tasks', 'list', ...project], { rows, env: { GOLDMASTER_PAGER: 'sed s/^/paged:/', ...env } })
  expect((await paged(3)).out).toMatch(/^paged:/)
  expect((await paged(60)).out).not.toContain('paged:')
  expect((await paged(3, { GOLDMASTER_PAGER: 'cat' })).out).not.toContain('paged:')
  // One that is not there is no reason to say nothing.
  expect((await paged(3, { GOLDMASTER_PAGER: 'no-such-pager' })).out).toContain('Task 22')
})
