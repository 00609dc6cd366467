import fc from 'fast-check'
import Schema from 'typebox/schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openStudio, type Studio } from '../../../test/support/studio.ts'
import { all, asker, BODIES } from '../../../test/support/studios/every-route.ts'
import { nightOwl } from '../../../test/support/studios/night-owl.ts'
import { type RouteName, routes } from '../../contract/routes.ts'

/** Every reply, errors included, is documented in the OpenAPI document, in the documented form. */

interface Documented {
  $ref?: string
  content?: Record<string, { schema: object }>
}

let studio: Studio
let document: {
  paths: Record<string, Record<string, { responses: Record<string, Documented> }>>
  components: { responses: Record<string, Documented> }
}
beforeAll(async () => {
  const poor = { key: 'poor', account: 'broke', name: 'Poor' }
  studio = await openStudio({
    ...nightOwl,
    accounts: [...nightOwl.accounts, { key: 'broke', name: 'Broke', plan: 'free', payment_method: true, credits: 0 }],
    users: [{ ...nightOwl.users[0]!, accounts: { ...nightOwl.users[0]!.accounts, broke: 'owner' } }, nightOwl.users[1]],
    projects: [...nightOwl.projects, poor],
    build_runs: [...nightOwl.build_runs, { key: 'broke-build_run', project: 'poor', status: 'failed' }],
  })
  document = (await studio.ask('/api/openapi.json')).json
})
afterAll(() => studio.close())

const { id, tokenOf, pathOf, ask } = asker(() => studio)

/** Compares a reply with its documentation. */
function expectDocumented(name: RouteName, { status, headers, text, json }: Answer, what: string) {
  const { method, path } = routes[name]
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!
  const named = operation.responses[status]
  expect(named, `${name} ${what}: ${status} ${text.slice(0, 200)}`).toBeDefined()
  const said = named!.$ref ? document.components.responses[named!.$ref.split('/').at(-1)!]! : named!
  if (!said.content) return expect(text, what).toBe('')
  const [type, { schema }] = Object.entries(said.content)[0]!
  expect(headers.get('content-type'), what).toContain(type)
  const value = type === 'application/json' ? json : text
  const [fits, errors] = Schema.Errors({ ...document, ...schema }, value)
  expect(fits, `${name} ${what}: ${status} ${text.slice(0, 300)} ${JSON.stringify(errors.slice(0, 3))}`).toBe(true)
}

test.each(all)('%s', async (name, route) => {
  const poor = id('projects', 'poor')
  const tries: [what: string, path: string, more?: object][] = [
    ['as it should be', pathOf(name)],
    ['without a token', pathOf(name), { token: null }],
    ['without its scope', pathOf(name), { token: tokenOf('bare') }],
    ['an unknown parameter', `${pathOf(name)}?surprise=1`],
    ['a foreign project', pathOf(name, id('projects', 'fox'))],
    ['a missing record', pathOf(name, undefined, '999999')],
    ['a read-only account', pathOf(name, id('projects', 'lapsed'))],
    ['a demo account', pathOf(name, id('projects', 'demo'))],
    ...(name === 'investigateBuild'
      ? ([['no credits', pathOf(name, poor, id('build_runs', 'broke-build_run'))]] as [string, string][])
      : []),
    ...Object.keys(route.query).flatMap((param): [string, string][] =>
      ['', 'x', '0', '1,2', '999999'].map((value) => [`${param}=${value}`, `${pathOf(name)}?${param}=${value}`]),
    ),
    ...Object.keys(route.query).map((param): [string, string] => [`${param}[]`, `${pathOf(name)}?${param}[]=1`]),
    ...(route.body
      ? [undefined, 'x', { task: 1 }, { task: { title: '' } }, { task: { state: 'x' }, status: 'x' }].map(
          (body, i): [string, string, object] => [`body ${i}`, pathOf(name), { body }],
        )
      : []),
    ...(route.body
      ? ([
          ['no JSON', pathOf(name), { body: undefined, raw: '{' }],
          ['no known type', pathOf(name), { headers: { 'content-type': 'text/plain' } }],
          ['too much', pathOf(name), { body: undefined, raw: 'x'.repeat(1_100_000) }],
        ] as [string, string, object][])
      : []),
    ...(name === 'listEvents'
      ? ([['a plan below Team', `${pathOf(name)}?account_id=${id('accounts', 'broke')}`]] as [string, string][])
      : []),
  ]
  for (const [what, path, more] of tries) expectDocumented(name, await ask(name, path, more), what)
})

test('generated requests', async () => {
  const value = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('1', '50', 'true', 'to_do', 'user:1', '2026-01-01T00:00:00Z', '2026-01-01'),
  )
  const route = fc.constantFrom(...all)
  const asked = route.chain(([name, { query }]) => {
    const params = Object.keys(query)
    const pairs = fc.array(fc.tuple(params.length > 0 ? fc.constantFrom(...params) : fc.constant('surprise'), value), {
      maxLength: 3,
    })
    return fc.tuple(
      fc.constant(name),
      pairs,
      fc.oneof(fc.constant(BODIES[name]), fc.record({ task: fc.object({ maxDepth: 1 }) })),
    )
  })
  await fc.assert(
    fc.asyncProperty(asked, async ([name, pairs, body]) => {
      const search = new URLSearchParams(pairs)
      const path = `${pathOf(name)}${pairs.length > 0 ? `?${search}` : ''}`
      expectDocumented(
        name,
        await ask(name, path, routes[name].method === 'GET' ? {} : { body }),
        `${path} ${JSON.stringify(body)}`,
      )
    }),
    { numRuns: Number(process.env.DOCUMENTED_RUNS ?? 300) },
  )
})
