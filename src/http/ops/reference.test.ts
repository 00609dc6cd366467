import Schema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { adminRoutes } from '../../contract/app/routes.ts'
import { EVENT_TYPES } from '../../contract/events.ts'
import { openapi } from '../../contract/openapi/openapi.ts'
import { eventStream, type Route, routes } from '../../contract/routes.ts'
import { SCOPES } from '../../contract/sets.ts'

let studio: Studio
// biome-ignore lint/suspicious/noExplicitAny: a document is searched at every depth
let document: any
beforeAll(async () => {
  studio = await openStudio()
  document = (await studio.ask('/api/openapi.json')).json
})
afterAll(() => studio.close())

const table = Object.entries({ ...routes, ...adminRoutes } as Record<string, Route>)
const byName = Object.fromEntries(table)
// biome-ignore lint/suspicious/noExplicitAny: see above
const operations = (): [path: string, method: string, operation: any][] =>
  Object.entries(document.paths)
    .filter(([path]) => path !== eventStream.path)
    .flatMap(([path, item]) =>
      // biome-ignore lint/suspicious/noExplicitAny: see above
      Object.entries(item as object).map(([method, operation]) => [path, method, operation] as [string, string, any]),
    )
    // Files are not in the table.
    .filter(([, , { responses }]) => !('416' in responses || '302' in responses))
/** Every object in the document, at any depth. */
const every = (value: unknown): Record<string, unknown>[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : [value as Record<string, unknown>]), ...Object.values(value).flatMap(every)]
    : []

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1 and has the URL of the service', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      servers: [{ url: 'https://gold.example/api' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    })
    expect(document).toEqual(JSON.parse(JSON.stringify(openapi('https://gold.example', document.info.version))))
  })

  test('has every route of the table under its own name, and nothing else', () => {
    const named = operations().map(([path, method, { operationId }]) => [operationId, method.toUpperCase(), path])
    expect(named.sort()).toEqual(table.map(([name, { method, path }]) => [name, method, path.replace(/:(\w+)/g, '{$1}')]).sort())
    expect(new Set(named.map(([name]) => name)).size).toBe(table.length)
  })

  test('describes every path and query parameter once', () => {
    for (const [path, , { operationId, parameters }] of operations()) {
      const at = (place: string) =>
        parameters.filter((one: { in: string }) => one.in === place).map((one: { name: string }) => one.name)
      expect(at('path')).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      expect(at('query')).toEqual(Object.keys(byName[operationId]!.query))
      for (const one of parameters) {
        expect(one.required).toBe(one.in === 'path')
        expect(one.schema, `${operationId} ${one.name}`).toBeTypeOf('object')
      }
    }
  })

  test('has the scope, the success and the errors of every route', () => {
    for (const [, method, { operationId, description, responses, requestBody, security }] of operations()) {
      const route = byName[operationId]!
      expect(SCOPES.some((scope) => description.includes(`\`${scope}\``))).toBe(true)
      expect(description).toContain(route.scope)
      expect(security).toEqual([{ bearer: [] }])
      for (const status of ['401', '403', '422', '429', '503']) expect(responses, operationId).toHaveProperty(status)
      const success = Object.keys(responses).filter((status) => status.startsWith('2'))
      expect(success.length).toBeGreaterThan(0)
      for (const status of success) {
        expect(responses[status].description).toBeTypeOf('string')
        expect(Object.keys(responses[status].content)).toEqual([('produces' in route && route.produces) || 'application/json'])
      }
      expect(requestBody === undefined).toBe(route.body === undefined && !('consumes' in route))
      if (method === 'get') expect(requestBody).toBe(undefined)
    }
  })

  test('has the stream, which is not in the table, with every event type and how to resume', () => {
    const { get: stream } = document.paths[eventStream.path]
    expect(stream.parameters.map(({ name }: { name: string }) => name)).toEqual([
      ...Object.keys(eventStream.query),
      'Last-Event-ID',
    ])
    const { schema } = stream.responses[200].content['text/event-stream']
    expect(schema.properties.event_type.enum).toEqual(EVENT_TYPES)
    expect(stream.description).toContain(eventStream.scope)
  })

  test('names resources, each with a valid and meaningful example', () => {
    const { schemas } = document.components
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Task', 'BuildRun', 'Breakage', 'Deployment', 'Pagination']))
    const reply = document.paths['/v1/projects/{project_id}/tasks'].get.responses[200].content['application/json'].schema
    expect(reply.properties.tasks.items).toEqual({ $ref: '#/components/schemas/Task' })
    for (const [name, schema] of Object.entries(schemas).filter(([name]) => name !== 'Error')) {
      const [example] = (schema as { examples: unknown[] }).examples
      expect(Schema.Errors({ ...document, ...(schema as object) }, example), name).toEqual([true, []])
      expect(JSON.stringify(example), name).not.toContain('""')
    }
  })

  test('declares its tags, and the maximum page size', () => {
    const declared = document.tags.map(({ name }: { name: string }) => name)
    const used = new Set(operations().flatMap(([, , { tags }]) => tags))
    expect([...used].sort()).toEqual(declared.sort())
    const { parameters } = document.paths['/v1/projects/{project_id}/tasks'].get
    expect(parameters.find(({ name }: { name: string }) => name === 'limit').schema.maximum).toBe(50)
  })

  test('resolves every reference', () => {
    const references = every(document).flatMap((one) => (typeof one.$ref === 'string' ? [one.$ref] : []))
    expect(references.length).toBeGreaterThan(20)
    for (const reference of new Set(references)) {
      const found = reference
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((inside, key) => (inside as Record<string, unknown>)?.[key], document)
      expect(found, reference).toBeTypeOf('object')
    }
  })

  test('uses only keywords of JSON Schema', () => {
    const types = every(document).flatMap((one) => (typeof one.type === 'string' ? [one.type] : []))
    for (const type of new Set(types))
      expect(['string', 'integer', 'number', 'boolean', 'object', 'array', 'null', 'http']).toContain(type)
    for (const one of every(document)) expect(one).not.toHaveProperty('nullable')
  })

  test('says that a new task needs a title and that only an edit appends', () => {
    const sent = (path: string, method: string) =>
      document.paths[path][method].requestBody.content['application/json'].schema.properties.task
    const create = sent('/v1/projects/{project_id}/tasks', 'post')
    expect(create.required).toEqual(['title'])
    expect(create.properties).not.toHaveProperty('description_append')
    const edit = sent('/v1/projects/{project_id}/tasks/{id}', 'patch')
    expect(edit.required ?? []).toEqual([])
    expect(edit.properties).toHaveProperty('description_append')
  })
})

describe('the reference page', () => {
  test('has a section for every route and needs no external resources', async () => {
    const { text, headers } = await studio.ask('/api/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    for (const [name, route] of table) {
      expect(text).toContain(`id="${name}"`)
      expect(text).toContain(`/api${route.path}`)
    }
    expect(text).not.toMatch(/<script/i)
    const loaded = [...text.matchAll(/(?:src|href)="([^"#]*)"/g)]
      .map(([, address]) => address!)
      .filter((address) => address !== '')
    for (const address of loaded) expect(address).toMatch(/^\/api\//)
    for (const address of new Set(loaded)) expect((await studio.ask(address)).status, address).toBe(200)
    const style = (await studio.ask('/api/docs.css')).text
    expect(style).not.toMatch(/url\(|@import|https?:/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})
