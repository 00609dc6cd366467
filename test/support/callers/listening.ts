import { get } from 'node:http'
import type { Event } from '../../../src/contract/shapes.ts'
import { until } from '../until.ts'

/** One open event stream, and what it has received so far. */
export interface Listening {
  status: number
  events: (Event & { position: number })[]
  ended: Promise<void>
  /** How often it was told to reload. */
  resets(): number
  until(count: number): Promise<void>
  stop(): void
}

interface Listen {
  site: string
  token: string
  query?: string
  lastId?: number
}

/** Follows the feed over a separate connection; an incomplete message at its end does not count. */
export const listen = ({ site, token, query = '', lastId }: Listen): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastId === undefined ? {} : { 'last-event-id': String(lastId) }),
    }
    const request = get(`${site}/api/v1/workspace/events/stream?${query}`, { headers, agent: false }, (response) => {
      const events: Listening['events'] = []
      let text = ''
      let resets = 0
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const frames = (text + chunk).split('\n\n')
        text = frames.pop()!
        for (const frame of frames) {
          const [, position, data] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? []
          if (frame.startsWith('event: reset')) resets++
          if (data) events.push({ ...JSON.parse(data), position: Number(position) })
        }
      })
      const ended = new Promise<void>((done) => response.on('error', () => {}).on('close', done))
      resolve({
        status: response.statusCode!,
        events,
        ended,
        resets: () => resets,
        until: (count) => until(() => events.length >= count),
        stop: () => request.destroy(),
      })
    })
    request.on('error', reject)
  })

/** The titles of the tasks in the events. */
export const titlesOf = (events: readonly Event[]) => events.map((event) => /#\d+ “(.*)” is to do/.exec(event.message)?.[1])
