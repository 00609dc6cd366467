import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixtures, runSuite, translate } from './support/callers/conformance.ts'
import { freePort } from './support/servers/free-port.ts'
import { scratch } from './support/stand-in.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { visitor, workshop } from './support/studios/workshop.ts'

/**
 * The official conformance suite for servers, as a command: it has a hundred packages and needs Node 22, so it is not a dependency.
 * MCP_CONFORMANCE="npx --yes @modelcontextprotocol/conformance@0.2.0-alpha.12" npx vitest run test/mcp-conformance.test.ts
 */
const SUITE = process.env.MCP_CONFORMANCE ?? ''

const BOTH = [
  'completion-complete',
  'dns-rebinding-protection',
  'prompts-get-simple',
  'prompts-list',
  'resources-list',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-error',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
]
/** Listed in docs/assistants.md, with why the others do not apply. */
const PASSED = {
  '2025-11-25': [...BOTH, 'ping', 'server-initialize'],
  '2026-07-28': [
    ...BOTH,
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'server-stateless',
  ],
}
/** Checks that need a special tool. */
const NOT_OURS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

describe.skipIf(SUITE === '')('the official suite', () => {
  let studio: Studio
  let between: Server
  let url: string
  const { id, tokenOf } = visitor(() => studio)

  const fixtures = (): Fixtures => {
    const project_id = id('projects', 'star')
    const waiting = { project_id, build_run_id: id('build_runs', 'broken'), wait_seconds: 2 }
    return {
      test_simple_text: { name: 'ping' },
      test_error_handling: { name: 'show_project', arguments: { project_id: id('projects', 'den') } },
      test_tool_with_progress: { name: 'investigate_build', arguments: waiting },
      test_simple_prompt: { name: 'triage_failed_builds' },
      'test://static-text': { uri: `goldmaster://projects/${project_id}` },
      'test://template/123/data': { uri: `goldmaster://projects/${project_id}/tasks/${id('tasks', 'numbered')}` },
    }
  }

  beforeAll(async () => {
    const port = await freePort()
    const site = `http://localhost:${port}`
    const world = {
      ...workshop,
      accounts: workshop.accounts.map((account) => ({ ...account, credits: 5 })),
      build_runs: [{ key: 'broken', project: 'star', status: 'failed', output_log: 'error: it broke\n' }],
      tasks: [{ key: 'numbered', project: 'star', title: 'Task 123' }],
    }
    studio = await openStudio(world, { service: { site }, rates: { requests: { points: 100_000, seconds: 60 } } })
    between = await translate(port, studio.site, tokenOf('lead'), fixtures)
    url = `${site}/mcp`
  })
  afterAll(async () => {
    between?.close()
    await studio?.close()
  })

  test.each(Object.entries(PASSED))('of %s passes, except for features we do not have', async (revision, scenarios) => {
    const { folder, remove } = scratch()
    const outcomes = await runSuite(SUITE, url, revision, folder)
    remove()
    for (const scenario of scenarios) {
      const checks = outcomes.get(scenario) ?? []
      expect(checks.map(({ status }) => status)).toContain('SUCCESS')
      const wrong = checks.filter(({ id, status }) => /FAILURE|WARNING/.test(status) && !NOT_OURS.includes(id))
      expect(wrong, scenario).toEqual([])
    }
  })
})
