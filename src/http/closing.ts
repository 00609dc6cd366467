import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests that were being sent when closing began are still read. */
const GRACE_MS = 1_000

/** Closes a server as soon as nobody waits for a response. */
export function closeQuickly(app: FastifyInstance): { closing(): boolean } {
  let closing = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Browsers and clients open connections in advance. Node considers one without a request busy until it times out.
  const endUnused = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  app.addHook('preClose', async () => {
    closing = true
    // However late the timer is, received data is read first.
    setTimeout(() => setImmediate(endUnused), GRACE_MS).unref()
  })
  // Tells keep-alive clients with the response that the connection ends; otherwise closing would wait for them.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  return { closing: () => closing }
}
