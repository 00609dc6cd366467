import type { Asked, History } from '../../history/history.ts'
import { type Json, number, object, objects, text, word } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { hasNames, named, readJob } from './job.ts'
import { streamsIn } from './streams.ts'

/** A job with all its steps is large, and asked for on its own. */
const PAGE = 20
const API = '/api/v1'

const streamOf = ({ cursor, config }: Pick<Asked, 'cursor' | 'config'>) => text(cursor.stream) ?? streamsIn(config)[0]?.id ?? ''

/** The stream after this one; undefined after the last one. */
function streamAfter(stream: string, config: Readonly<Json>): { stream: string } | undefined {
  const streams = streamsIn(config).map(({ id }) => id)
  const next = streams[streams.indexOf(stream) + 1]
  return next === undefined ? undefined : { stream: next }
}

const pathOf = (id: unknown) => `${API}/jobs/${encodeURIComponent(word(id) ?? '')}`

/** The jobs of every stream, as the polling reads them. */
export const history: History = {
  headers: (config) => ({ accept: 'application/json', authorization: `Bearer ${text(config.api_token) ?? ''}` }),
  settings: ['horde_streams'],
  parts: [
    {
      name: 'builds',
      needs: 'ViewJob',
      page(asked) {
        const query = new URLSearchParams({
          streamId: streamOf(asked),
          minCreateTime: asked.since,
          includePreflight: 'true',
          filter: 'id',
          index: String(number(asked.cursor.index) ?? 0),
          count: String(PAGE),
        })
        return { path: `${API}/jobs?${query}` }
      },
      /** Steps of older servers have their names only in the graph. */
      details: ({ body, details }) =>
        listed(body).flatMap(({ id }) => {
          const job = object(details.get(pathOf(id)))
          return [{ path: pathOf(id) }, ...(job === undefined || hasNames(job) ? [] : [{ path: `${pathOf(id)}/graph` }])]
        }),
      read({ body, details }, { cursor, config }) {
        const stream = streamOf({ cursor, config })
        const jobs = listed(body)
        const isMore = objects(body).length >= PAGE
        const next = isMore ? { stream, index: (number(cursor.index) ?? 0) + PAGE } : streamAfter(stream, config)
        const facts = factsOf(jobs, ({ id }) => {
          const job = object(details.get(pathOf(id)))
          return job === undefined ? [] : readJob(named(job, details.get(`${pathOf(id)}/graph`)), config)
        })
        return { facts, ...(next && { next }) }
      },
    },
  ],
}

const listed = (body: unknown) => objects(body).filter(({ id }) => word(id) !== undefined)
