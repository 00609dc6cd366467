import { PassThrough } from 'node:stream'
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import type { Remedies } from './refusals.ts'
import { type Assistance, createServer, protocolError } from './server.ts'
import { openSubscriptions, type Subscriptions } from './subscriptions/connection.ts'
import { cancelledBy, listenOf, refusalOf } from './subscriptions/messages.ts'
import type { Follow } from './subscriptions/watch.ts'

interface LocalAssistance extends Omit<Assistance, 'stopped' | 'changes'> {
  follow: Follow
}

/** Serves one assistant over standard input and output until it hangs up; earlier requests are still answered. */
export async function serveStdio({ follow, ...assistance }: LocalAssistance): Promise<void> {
  let ended = false
  let server: Server | undefined
  const hungUp = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  const subscriptions = openSubscriptions(assistance, follow, (uri) => void server?.sendResourceUpdated({ uri }))
  const begin = () => {
    server = createServer({ ...assistance, changes: subscriptions, stopped: () => ended })
    return server
  }
  serve(begin, { transport: openTransport(subscriptions, assistance) })
  await hungUp
  ended = true
  subscriptions.close()
}

/**
 * The SDK's transport drops pending requests when its input ends, so it gets one that never does. A message that is too large ends the
 * connection: nothing more is read, and the command ends. In 2026-07-28 the SDK does not expose subscriptions, so they are read from the
 * messages.
 */
function openTransport(subscriptions: Subscriptions, remedies: Remedies): Transport {
  const inner = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }))
  const transport: Transport = {
    send: (message) => inner.send(message),
    start() {
      inner.onmessage = async (message) => {
        const refusal = await subscribe(message)
        if (refusal) await inner.send(refusal).catch(() => {})
        else transport.onmessage?.(message)
      }
      inner.onerror = (error) => transport.onerror?.(error)
      inner.onclose = () => {
        process.stdin.destroy()
        transport.onclose?.()
      }
      return inner.start()
    },
    close: () => inner.close(),
  }
  async function subscribe(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) subscriptions.remove(cancelled)
    const asked = listenOf(message)
    if (!asked) return undefined
    return subscriptions.add(asked.id, asked.uris).then(
      () => undefined,
      (error) => refusalOf(asked.id, protocolError(error, remedies)),
    )
  }
  return transport
}
