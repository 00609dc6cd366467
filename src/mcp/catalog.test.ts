import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM } from '../../test/support/built.ts'
import { type Assistant, connectHttp, connectStdio } from '../../test/support/callers/assistant.ts'
import { goldmaster } from '../../test/support/callers/command.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { until } from '../../test/support/until.ts'
import { type Route, routes } from '../contract/routes.ts'
import { searches } from '../contract/searches.ts'
import { PLAIN_SCOPES } from '../contract/sets.ts'
import { sql } from '../db/database.ts'
import { TOOLS } from './catalog.ts'

interface Described {
  type?: unknown
  description?: string
  enum?: unknown[]
  items?: { enum?: unknown[] }
  format?: string
  default?: unknown
}

/** The metadata of each request without a handshake. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'pipe', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

let studio: Studio
let all: Assistant
let tools: Tool[]
const opened: Assistant[] = []

const tokenOf = (key: string) => studio.world.tokens![key]!.token as string
const star = () => String(studio.world.projects!.star!.id)
const kept = async (opening: Promise<Assistant>) => {
  const assistant = await opening
  opened.push(assistant)
  return assistant
}

beforeAll(async () => {
  studio = await openStudio({
    ...nightOwl,
    tokens: [
      ...nightOwl.tokens,
      { key: 'doomed', user: 'lead', name: 'doomed', scopes: PLAIN_SCOPES },
      {
        key: 'login',
        user: 'lead',
        name: 'login',
        scopes: PLAIN_SCOPES.filter((scope) => scope !== 'read:members'),
        created_via: 'mcp',
      },
      { key: 'starter', user: 'lead', name: 'starter', scopes: ['ping', 'write:builds'] },
    ],
  })
  all = await kept(connectHttp(studio.site, tokenOf('all')))
  tools = (await all.client.listTools()).tools
})
afterAll(async () => {
  for (const { client } of opened) await client.close()
  await studio.close()
})

describe('the catalog', () => {
  test('has a tool for every route but searches, which belong to their lists, under its name, and not too many', () => {
    const words = (name: string) => name.replace(/([A-Z])/g, '_$1').toLowerCase()
    const isTool = ([name, route]: [string, Route]) =>
      route.tool !== false && !(Object.values(searches) as string[]).includes(name)
    const own = Object.entries(routes as Record<string, Route>)
      .filter(isTool)
      .map(([name]) => name)
    expect(tools.map(({ name }) => name).sort()).toEqual(own.map(words).sort())
    expect(tools.length).toBeLessThanOrEqual(34)
  })

  test('describes each tool and, unless its name is clear, each of its parameters', () => {
    const validator = new AjvJsonSchemaValidator()
    const plain = /^(?:limit|(?:project|task|build_run|asset|breakage)_id)$/
    for (const { name, title, description = '', inputSchema } of tools) {
      expect(title, name).toBeTruthy()
      expect(description.length, name).toBeGreaterThanOrEqual(80)
      expect(description.length, name).toBeLessThanOrEqual(320)
      const parameters = Object.entries(inputSchema.properties ?? {}) as [string, Described][]
      for (const [parameter, { type, description, enum: values, items }] of parameters) {
        expect(type, `${name} ${parameter}`).toBeTruthy()
        if (!plain.test(parameter)) expect(description ?? values ?? items?.enum, `${name} ${parameter}`).toBeTruthy()
      }
      expect(() => validator.getValidator(inputSchema as never)).not.toThrow()
    }
  })

  test('offers every parameter of its route with its whole closed set', () => {
    const wire = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema.properties as Record<string, Described>]))
    for (const { name, input } of TOOLS) {
      expect(Object.keys(wire.get(name)!), name).toEqual(Object.keys(input))
      for (const [parameter, schema] of Object.entries(input) as [string, Described][]) {
        const { enum: values, items, format, default: usual } = wire.get(name)![parameter]!
        const told = { values: values ?? items?.enum, format, usual }
        const declared = { values: schema.enum ?? schema.items?.enum, format: schema.format, usual: schema.default }
        expect(told, `${name} ${parameter}`).toEqual(declared)
      }
    }
  })

  test('annotates what each tool can do', () => {
    const writes = new Map(
      Object.entries(routes as Record<string, Route>).map(([name, { writes }]) => [name.toLowerCase(), writes === true]),
    )
    for (const { name, annotations } of tools) {
      const hints = {
        destructiveHint: [
          'edit_task',
          'decide_asset',
          'edit_breakage',
          'edit_deployment',
          'correct_build',
          'act_on_build',
        ].includes(name),
        idempotentHint: !['edit_task', 'act_on_build', 'create_comment'].includes(name),
      }
      const written = writes.get(name.replaceAll('_', ''))
      expect(annotations, name).toEqual({ readOnlyHint: !written, ...(written && hints), openWorldHint: false })
    }
  })

  test('takes less than 6,600 tokens of a conversation, at four characters each', () => {
    expect(JSON.stringify({ tools }).length / 4).toBeLessThan(6_600)
  })
})

describe('scopes', () => {
  test.each(PLAIN_SCOPES.filter((scope) => scope !== 'ping' && TOOLS.some((tool) => tool.scope === scope)))(
    'a token without %s sees none of its tools',
    async (scope) => {
      const assistant = await kept(connectHttp(studio.site, tokenOf(`without ${scope}`)))
      const names = TOOLS.filter((tool) => tool.scope !== scope).map(({ name }) => name)
      expect((await assistant.toolNames()).sort()).toEqual(names.sort())
      const hidden = TOOLS.find((tool) => tool.scope === scope)!
      const { error, text } = await assistant.call(hidden.name)
      expect(error).toBe(true)
      expect(text).toContain(`needs the scope ${scope}`)
    },
  )

  test('a login token has everything but the members', async () => {
    const assistant = await kept(connectStdio(studio.site, tokenOf('login')))
    expect((await assistant.toolNames()).sort()).toEqual(
      TOOLS.map(({ name }) => name)
        .filter((name) => name !== 'list_members')
        .sort(),
    )
    // Another login would not help.
    const { text } = await assistant.call('list_members', { project_id: star() })
    expect(text).toMatch(/A login cannot have this scope\..*create a token with it at .*\/settings\/tokens.*GOLDMASTER_TOKEN/)
    const remote = await kept(connectHttp(studio.site, tokenOf('login')))
    expect((await remote.call('list_members')).text).toMatch(
      /A login cannot have this scope\..*\/settings\/tokens.*Authorization: Bearer/,
    )
  })

  test('a login without write:breakages gets instructions, before and after it is refused', async () => {
    const token = tokenOf('without write:breakages')
    const remote = await kept(connectHttp(studio.site, token))
    const byHand = /only if it requests it\. Ask the user to create a token with it at \S+\/settings\/tokens/
    expect((await remote.call('edit_breakage')).text).toMatch(byHand)
    expect(remote.client.getInstructions()).toMatch(byHand)
    expect((await kept(connectHttp(studio.site, tokenOf('all')))).client.getInstructions()).not.toContain('lacks the scope')
    const home = mkdtempSync(join(tmpdir(), 'goldmaster-mcp-'))
    mkdirSync(join(home, 'goldmaster'))
    const hosts = { [studio.site]: { token, scopes: [], expires_at: null } }
    writeFileSync(join(home, 'goldmaster/hosts.json'), JSON.stringify({ default: studio.site, hosts }))
    const local = await kept(connectStdio(studio.site, '', [], undefined, { XDG_CONFIG_HOME: home }))
    const again = `goldmaster login --host ${studio.site} --scope all (the page that opens, ${studio.site}/cli/auth,`
    expect((await local.call('edit_breakage')).text).toContain(again)
    expect(local.client.getInstructions()).toContain(again)
  })

  test('prompts and resources depend on the scopes', async () => {
    const blind = await kept(connectHttp(studio.site, tokenOf('starter')))
    expect((await blind.client.listPrompts()).prompts).toEqual([])
    expect((await blind.client.listResources()).resources).toEqual([])
    expect((await blind.client.listResourceTemplates()).resourceTemplates).toEqual([])
    const build_run_id = String(studio.world.build_runs!.build5!.id)
    const { data } = await blind.call('investigate_build', { project_id: star(), build_run_id })
    expect(data).toMatchObject({ status: 'pending', notes: [expect.stringContaining('call investigate_build again')] })
  })

  test('a token that is revoked while an assistant works gets instructions', async () => {
    const assistant = await kept(connectStdio(studio.site, tokenOf('doomed')))
    expect((await assistant.call('ping')).error).toBe(false)
    await studio.db.execute(sql`update api_tokens set revoked_at = now() where name = 'doomed'`)
    const { error, text } = await assistant.call('list_projects')
    expect(error).toBe(true)
    expect(text).toMatch(/revoked or expired.*401.*GOLDMASTER_TOKEN/)
  })

  test.each(['revoked', 'expired'])('a %s token is refused before the protocol', async (key) => {
    const { ended, said } = goldmaster(['mcp'], { GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: tokenOf(key) })
    expect(await ended).toBe(4)
    expect(said()).toMatch(/^goldmaster: .*revoked or expired\. Create one at .*\n$/)
    await expect(connectHttp(studio.site, tokenOf(key))).rejects.toThrow()
  })
})

describe('command options', () => {
  test('--project limits: no tool needs the project, and no other is accessible', async () => {
    const assistant = await kept(connectStdio(studio.site, tokenOf('all'), ['--project', star()]))
    const bound = (await assistant.client.listTools()).tools
    expect(bound.map(({ name }) => name)).not.toContain('list_projects')
    for (const { name, inputSchema } of bound) expect(inputSchema.properties ?? {}, name).not.toHaveProperty('project_id')
    expect((await assistant.call('show_project')).data).toMatchObject({ name: 'Starfall' })
    const { data } = await assistant.call('list_events', { days_back: 90, limit: 50 })
    expect(data.events.length).toBeGreaterThan(0)
    for (const event of data.events) expect(String(event.project_id)).toBe(star())
    const moon = String(studio.world.projects!.moon!.id)
    expect((await assistant.call('list_tasks', { project_id: moon })).text).toMatch(/Unknown parameter: project_id/)
    await expect(assistant.client.readResource({ uri: `goldmaster://projects/${moon}` })).rejects.toThrow(/not found/)
    expect((await assistant.client.listResources()).resources).toHaveLength(1)
    expect((await assistant.client.listPrompts()).prompts[0]!.arguments).toEqual([])
    expect((await assistant.call('list_projects')).text).toMatch(/limit this server to project \d+.*Do not retry/)
  })

  test('--project with an inaccessible number is refused at once', async () => {
    const fox = String(studio.world.projects!.fox!.id)
    const run = goldmaster(['mcp', '--project', fox], { GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: tokenOf('all') })
    expect(await run.ended).toBe(8)
    expect(run.said()).toMatch(/Project not found/)
  })

  test('--read-only offers only reading tools', async () => {
    const assistant = await kept(connectStdio(studio.site, tokenOf('all'), ['--read-only']))
    const offered = (await assistant.client.listTools()).tools
    expect(offered.length).toBe(TOOLS.length - 10)
    for (const { annotations } of offered) expect(annotations!.readOnlyHint).toBe(true)
    expect((await assistant.call('create_task', { project_id: star(), title: 'x' })).text).toMatch(/this server is read-only/)
    const { messages } = await assistant.client.getPrompt({ name: 'triage_failed_builds', arguments: {} })
    expect((messages[0]!.content as { text: string }).text).not.toMatch(/create one task|suggest investigate_build/)
  })

  test('--toolsets offers only their tools, and projects', async () => {
    const assistant = await kept(connectStdio(studio.site, tokenOf('all'), ['--toolsets', 'tasks,members']))
    const about = (await assistant.client.listTools()).tools
    expect(about.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_tasks', 'list_members', 'list_projects', 'ping']))
    expect(about.map(({ name }) => name).join()).not.toMatch(/build|asset|change|event/)
    const { ended, said } = goldmaster(['mcp', '--toolsets', 'all'], {
      GOLDMASTER_HOST: studio.site,
      GOLDMASTER_TOKEN: tokenOf('all'),
    })
    expect([await ended, said()]).toEqual([2, expect.stringContaining('It must be a list of: workspace_events, tasks')])
  })

  test('requests from before the assistant hung up are still answered', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } }
    const asked = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ping' } },
    ]
    const { status, stdout } = await piped(asked.map((each) => `${JSON.stringify(each)}\n`).join(''))
    expect(status).toBe(0)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      { id: 2, result: { structuredContent: { ok: true } } },
    ])
  })

  test('requests of the protocol without a handshake are answered too', async () => {
    const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', _meta: META } }
    const { status, stdout } = await piped(`${JSON.stringify(asked)}\n`)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { structuredContent: { ok: true } } })
  })

  test('invalid messages are skipped, and the next is answered', async () => {
    const asked = [
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [7] } } },
      { jsonrpc: '2.0', id: 2, method: 'subscriptions/listen' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'ping' } },
    ]
    const { status, stdout } = await piped(`no JSON\n[]\n7\n${asked.map((each) => `${JSON.stringify(each)}\n`).join('')}`)
    expect(status).toBe(0)
    const answers = stdout.trimEnd().split('\n')
    expect(JSON.parse(answers.at(-1)!)).toMatchObject({ id: 3, result: { structuredContent: { ok: true } } })
  })

  test('an assistant that hangs up while it listens ends the command', async () => {
    const notifications = { resourceSubscriptions: [`goldmaster://projects/${star()}`] }
    const asked = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications, _meta: META } }
    const { child, ended } = begun()
    let heard = ''
    child.stdout!.on('data', (part) => (heard += part))
    child.stdin!.write(`${JSON.stringify(asked)}\n`)
    await until(() => heard.includes('notifications/subscriptions/acknowledged'))
    child.stdin!.end()
    expect(await ended).toMatchObject({ status: 0 })
  })

  test('an endless message ends the command', async () => {
    const { child, ended } = begun()
    child.stdin!.on('error', () => {}).write('x'.repeat(11 * 1024 * 1024))
    expect(await ended).toMatchObject({ status: 0, stdout: '' })
  })
})

/** The command with our own standard input. */
function begun() {
  const env = { PATH: process.env.PATH, GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: tokenOf('all') }
  let finish: (ended: { status: number | null; stdout: string }) => void
  const ended = new Promise<{ status: number | null; stdout: string }>((done) => {
    finish = done
  })
  const child = execFile(process.execPath, [PROGRAM, 'mcp'], { env }, (_, stdout) => finish({ status: child.exitCode, stdout }))
  return { child, ended }
}

function piped(input: string) {
  const { child, ended } = begun()
  child.stdin!.end(input)
  return ended
}
