import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Event } from '../../../src/contract/shapes.ts'
import { until } from '../until.ts'
import { openLocalServer } from './local-server.ts'

export interface Received {
  id: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: { type: string; timestamp: string; data: Event }
}

/** A receiver's server: stores what it is sent, in order, and responds as the test says. */
export interface Receiver {
  url: string
  received: Received[]
  connections: number
  /** Called for every message once it was read completely; responds with 204 by default. */
  answer(message: Received, response: ServerResponse): void | Promise<void>
  until(count: number): Promise<void>
  close(): Promise<void>
}

export async function openReceiver(port = 0): Promise<Receiver> {
  const { url, server, close } = await openLocalServer(
    async (request, response) => {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      const { headers } = request
      const message = { id: String(headers['webhook-id']), path: request.url!, headers, text, body: jsonOf(text) }
      receiver.received.push(message)
      response.statusCode = 204
      await receiver.answer(message, response)
      if (!response.writableEnded && !response.destroyed) response.end()
    },
    { port },
  )
  server.on('connection', () => receiver.connections++)
  const receiver: Receiver = {
    url: `${url}/`,
    received: [],
    connections: 0,
    answer: () => {},
    until: (count) => until(() => receiver.received.length >= count),
    close,
  }
  return receiver
}

/** Undefined if there are several, one per line. */
const jsonOf = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks a message like its receiver would, by the published rules and without our code. */
export function isGenuine({ headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const expected = createHmac('sha256', key).update(signed).digest('base64')
  const fresh = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  return fresh && String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`)
}
