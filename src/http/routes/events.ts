import type { FastifyInstance } from 'fastify'
import { invalidParameter } from '../../contract/errors.ts'
import type { EventType } from '../../contract/events.ts'
import { type RawQuery, readNames, readShortId, readValues } from '../../contract/params.ts'
import type { QueryOf } from '../../contract/routes.ts'
import { authorize } from '../../domain/access/access.ts'
import { feedEventOf, keyOf } from '../../domain/feed/feed.ts'
import * as feed from '../../domain/feed/reader.ts'
import type { AuthScheme } from '../auth/auth-scheme.ts'
import type { Service } from '../service.ts'
import { captureRefusal } from './capture-refusal.ts'

const LIST = 'listEvents'

/** In the web app also the reader's own events. */
type Query = QueryOf<'listEvents'> & { mine?: boolean }

/** The workspace feed. Parameter names are checked first, then account and plan, then values, project and cursor. */
export function serveEvents(app: FastifyInstance, service: Service, scheme: AuthScheme) {
  const { db, replica, site, cursors, lastUsed, rollups, share } = service
  const route = scheme.table.listEvents!
  app.get(`${scheme.prefix}${route.path}`, async (request) => {
    const who = scheme.who(request)
    const [given, misnamed] = captureRefusal(() => readNames(route.query, request.query as unknown as RawQuery))
    if (misnamed) {
      await feed.findReader(db, { who, scope: route.scope, account: undefined, project: undefined })
      throw misnamed
    }
    const ask = { who, scope: route.scope, account: given.get('account_id'), project: given.get('project_id') }
    const [query, refused] = captureRefusal(() => readValues(route.query, given) as Query)
    const [types, both] = captureRefusal(() => typesOf(query ?? {}, given))
    const [cursor, cursorRefusal] = captureRefusal(() =>
      given.has('cursor') ? cursors.open(LIST, given.get('cursor')!) : undefined,
    )
    if (refused || both || cursorRefusal) {
      const reader = await feed.findReader(db, ask)
      feed.admitToAccount(reader, ask, site)
      if (refused || both) throw both ?? refused
      authorize(reader, ask)
      throw cursorRefusal
    }
    const { limit, days_back, since, mine } = query
    const read = () =>
      feed.readFeed(
        db,
        ask,
        {
          limit,
          days_back,
          since,
          mine,
          types,
          project_id: ask.project === undefined ? undefined : (readShortId(ask.project) ?? 0),
          cursor,
        },
        site,
        replica,
      )
    const { reader, rows } = await share.enterAs(
      who,
      `feed ${ask.account} ${ask.project}`,
      read,
      ({ reader }) => reader.account_id,
    )
    lastUsed.note(reader.token_id)
    const has_more = rows.length > limit
    const shown = rows.slice(0, limit)
    const plain = !cursor && !since && !types && !mine && !given.has('project_id')
    return {
      events: shown.map(feedEventOf),
      rollup: plain ? await rollups.read(db, reader) : null,
      pagination: { limit, has_more, next_cursor: has_more ? cursors.seal(LIST, keyOf(shown.at(-1)!)) : null },
    }
  })
}

/** Either name is accepted, not both. */
export function typesOf<T extends EventType>(
  query: { event_type?: T[] | undefined; event_types?: T[] | undefined },
  given: ReadonlyMap<string, string>,
): T[] | undefined {
  if (given.has('event_type') && given.has('event_types'))
    throw invalidParameter('event_types', 'cannot be given beside event_type')
  return query.event_type ?? query.event_types
}
