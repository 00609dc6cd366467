import type { TSchema } from 'typebox'
import { tokenRoutes } from '../app/routes.ts'
import { EVENT_TYPES } from '../events.ts'
import { object, oneOf } from '../fields.ts'
import { IDEMPOTENCY_KEY_MAX } from '../limits.ts'
import { isAdministration, type TokenRoute } from '../routes/route.ts'
import { artifactDownload, eventStream, fileDownload, previewDownload } from '../routes.ts'
import { SCOPES } from '../sets.ts'
import { Event } from '../shapes.ts'
import { namedSchemas, referring } from './named-schemas.ts'

/** The OpenAPI 3.1 document, generated from the route table. */
export function openapi(site: string, version: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, route] of Object.entries(tokenRoutes as Record<string, TokenRoute>)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operation(name, route)
  }
  paths[eventStream.path] = { get: streamOperation() }
  for (const [operation, path] of [
    [fileOperation(), fileDownload.path],
    [previewOperation(), previewDownload.path],
    [artifactOperation(), artifactDownload.path],
    [latestOperation(), artifactDownload.latestPath],
  ] as const) {
    const named = path.replace(/:(\w+)/g, '{$1}')
    paths[named] = { ...paths[named], get: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Goldmaster',
      version,
      description: 'The delivery pipeline of game projects: tasks, changes, builds, assets, approvals, deployments.',
      contact: { name: 'Operator of this service', url: site },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${site}/api` }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An API token. Scopes: ${SCOPES.join(', ')}.` },
      },
      schemas: { Error: ERROR, ...namedSchemas() },
      responses: RESPONSES,
    },
  }
}

const TAGS = {
  projects: 'Projects, the token itself, and the events of all projects.',
  tasks: 'Tasks, their assignees and links.',
  changes: 'Commits and changelists.',
  build_runs: 'Build runs, their logs, changes and investigations.',
  breakages: 'Breakages: one per cause of failures, with suspects and owner.',
  branches: 'Branches and streams: state and last known good change.',
  assets: 'Assets and their approval status.',
  approvals: 'Approvals: pending and decided.',
  deployments: 'Deployments to stores.',
  members: 'Members of a project.',
  search: 'Lists with more filters.',
  administration:
    'Projects, integrations, outbound webhooks and tokens, for owners. Create a token with these scopes under Settings → API tokens; a browser login cannot grant them.',
}
type Tag = keyof typeof TAGS

const tagOf = (route: TokenRoute): Tag => {
  if (isAdministration(route)) return 'administration'
  const [, found = ''] = /projects\/:project_id\/(\w+)/.exec(route.path) ?? []
  return Object.hasOwn(TAGS, found) ? (found as Tag) : 'projects'
}

const ERROR = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'string' }, message: { type: 'string' } },
  additionalProperties: true,
}

const error = { $ref: '#/components/schemas/Error' }
const failure = (description: string, headers?: object, schema: object = error) => ({
  description,
  ...(headers ? { headers } : {}),
  content: { 'application/json': { schema } },
})
/** The error for an account whose plan has no feed. */
const PLAN = {
  type: 'object',
  required: ['error', 'upgrade_url'],
  properties: { error: { type: 'string' }, upgrade_url: { type: 'string' } },
  additionalProperties: false,
}
const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds until you can try again' } }
const RESPONSES = {
  BadRequest: failure('The cursor or the JSON is invalid'),
  Unauthorized: { description: 'The token is missing, unknown, revoked or expired; the body is empty' },
  NoCredits: failure('The account has no credits left'),
  Forbidden: failure('The token lacks the scope, or the account is read-only'),
  NoFeed: failure('The token lacks the scope, or the plan of the account has no feed', undefined, { anyOf: [error, PLAN] }),
  NotFound: failure('The record does not exist, or you cannot see it'),
  Changed: failure('The record changed since you read it (`If-Match`)'),
  Newer: failure('The asset has a newer version than the one in `If-Match`'),
  TooLarge: failure('The body is too large'),
  WrongType: failure('The body is not JSON'),
  Invalid: failure('A parameter or field is unknown or has an invalid value'),
  Limited: failure('Too many requests', RETRY_AFTER),
  Unavailable: failure(
    'The database does not respond, the request took too long, or your account has too many requests running',
    RETRY_AFTER,
  ),
}
const refer = (name: keyof typeof RESPONSES) => ({ $ref: `#/components/responses/${name}` })

/** Not in the table, because it never ends. */
const streamOperation = () => ({
  operationId: 'streamEvents',
  summary: 'Stream the events of an account (server-sent events)',
  description: `Scope: \`${eventStream.scope}\`. The data of each event is one JSON object. To resume, send the id of the last event as Last-Event-ID.`,
  tags: ['projects'],
  security: [{ bearer: [] }],
  parameters: [
    ...queryParameters(eventStream),
    header('Last-Event-ID', 'Id of the last event you received; newer events are sent first'),
  ],
  responses: {
    200: {
      description: 'A stream that stays open until you close it',
      content: { 'text/event-stream': { schema: object({ ...Event.properties, event_type: oneOf(EVENT_TYPES) }) } },
    },
    401: refer('Unauthorized'),
    403: refer('NoFeed'),
    404: refer('NotFound'),
    422: refer('Invalid'),
    429: refer('Limited'),
    503: refer('Unavailable'),
  },
})

/** Not in the table, because the response is a file. */
const fileOperation = () => ({
  operationId: 'downloadFile',
  summary: 'Download an attached file',
  description: `Scope: that of the record, such as \`${fileDownload.scopes.task}\` for a file on a task. Ranges are supported.`,
  tags: ['projects'],
  security: [{ bearer: [] }],
  parameters: pathParameters(fileDownload.path),
  responses: FILE_RESPONSES,
})

const previewOperation = () => ({
  operationId: 'showPreview',
  summary: 'Get a picture or the original of the preview of a version of an asset',
  description: `Scope: \`${previewDownload.scope}\`. Ranges are supported.`,
  tags: ['assets'],
  security: [{ bearer: [] }],
  parameters: [...pathParameters(previewDownload.path), ...queryParameters(previewDownload)],
  responses: FILE_RESPONSES,
})

const FILE_RESPONSES = {
  200: { description: 'The file', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
  206: { description: 'The requested range', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
  304: { description: 'You have it already (`If-None-Match`)' },
  401: refer('Unauthorized'),
  403: refer('Forbidden'),
  404: refer('NotFound'),
  416: { description: 'The file has no such range' },
  429: refer('Limited'),
  503: refer('Unavailable'),
}

const artifactOperation = () => ({
  ...fileOperation(),
  operationId: 'downloadArtifact',
  summary: 'Download an artifact of a build',
  description: `Scope: \`${artifactDownload.scope}\`. Ranges are supported.`,
  tags: ['build_runs'],
  parameters: pathParameters(artifactDownload.path),
})

/** A stable address. */
const latestOperation = () => ({
  operationId: 'downloadLatestArtifact',
  summary: 'Download the first matching artifact of the newest passed build that has one; of a branch the newest by position',
  description: `Scope: \`${artifactDownload.scope}\``,
  tags: ['build_runs'],
  security: [{ bearer: [] }],
  parameters: [...pathParameters(artifactDownload.latestPath), ...queryParameters(artifactDownload)],
  responses: {
    302: { description: 'The address of the artifact' },
    401: refer('Unauthorized'),
    403: refer('Forbidden'),
    404: refer('NotFound'),
    429: refer('Limited'),
    503: refer('Unavailable'),
  },
})

function operation(name: string, route: TokenRoute) {
  const type = route.produces ?? 'application/json'
  const success = { description: 'Success', content: { [type]: { schema: referring(route.reply) } } }
  return {
    operationId: name,
    summary: route.summary,
    description: `Scope: \`${route.scope}\``,
    tags: [tagOf(route)],
    security: [{ bearer: [] }],
    parameters: [...pathParameters(route.path), ...queryParameters(route), ...headerParameters(name, route)],
    ...(route.body ? { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } } : {}),
    ...(route.consumes
      ? { requestBody: { required: true, content: { [route.consumes]: { schema: { type: 'string', format: 'binary' } } } } }
      : {}),
    responses: {
      ...(isAlwaysNew(name, route) ? {} : { 200: success }),
      ...(route.created ? { [route.created]: success } : {}),
      ...('cursor' in route.query || route.body ? { 400: refer('BadRequest') } : {}),
      401: refer('Unauthorized'),
      ...(name === 'investigateBuild' ? { 402: refer('NoCredits') } : {}),
      403: refer(name === 'listEvents' ? 'NoFeed' : 'Forbidden'),
      ...(route.path.includes(':') || name === 'listEvents' ? { 404: refer('NotFound') } : {}),
      ...(isConditional(route) && route.method === 'GET'
        ? { 304: { description: 'Not changed since you read it (`If-None-Match`)' } }
        : {}),
      ...(isConditional(route) && route.method === 'PATCH' ? { 412: refer('Changed') } : {}),
      ...(name === 'decideAsset' ? { 412: refer('Newer') } : {}),
      ...(route.body ? { 413: refer('TooLarge'), 415: refer('WrongType') } : {}),
      ...(route.consumes ? { 413: refer('TooLarge') } : {}),
      422: refer('Invalid'),
      429: refer('Limited'),
      503: refer('Unavailable'),
    },
  }
}

/** Other routes that create something may also return an existing record. */
const isAlwaysNew = (name: string, route: TokenRoute) =>
  name === 'createTask' || (route.created !== undefined && isAdministration(route))

/** `deliveries/:id` is the id of a delivery, `:build_run_id` that of a build run. */
const recordOf = (noun: string, name: string) =>
  (name === 'id' ? noun.replace(/ies$/, 'y').replace(/s$/, '') : name.replace(/_id$/, '')).replaceAll('_', ' ')

const pathParameters = (path: string) =>
  [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, noun, name]) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'version' ? 'Number of the version' : `Id of the ${recordOf(noun!, name!)}`,
    schema: { type: 'string' },
  }))

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const queryParameters = (route: Pick<TokenRoute, 'query'>) =>
  Object.entries(route.query).map(([name, { schema }]) => {
    const { description, ...rest } = schema as TSchema & { description?: string }
    return { name, in: 'query', required: false, ...(description ? { description } : {}), schema: rest }
  })

/** A single record has an `ETag`; its edit accepts one. */
const isConditional = (route: TokenRoute) =>
  !isAdministration(route) && !route.produces && /\/:\w+$/.test(route.path) && ['GET', 'PATCH'].includes(route.method)

const headerParameters = (name: string, route: TokenRoute) =>
  isConditional(route)
    ? [
        route.method === 'GET'
          ? header('If-None-Match', 'ETag of your copy; answers 304 if the record has not changed')
          : header('If-Match', 'ETag of your copy; answers 412 if the record has changed'),
      ]
    : name === 'createTask'
      ? [
          header('Idempotency-Key', 'Any text; a retry with the same key within 24 hours returns the same task', {
            type: 'string',
            maxLength: IDEMPOTENCY_KEY_MAX,
          }),
        ]
      : name === 'decideAsset'
        ? [header('If-Match', 'Version of the asset that you looked at, in quotes; answers 412 if a newer one waits')]
        : []
