import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What was under way when closing began still comes in. */
const GRACE_MS = 1_000

/** Lets a server close as soon as nobody waits for an answer. */
export function closeQuickly(app: FastifyInstance): { closing(): boolean } {
  let closing = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Browsers and clients open connections in advance. Node takes one on which nothing was asked yet for busy, until it times out.
  const endUnused = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  app.addHook('preClose', async () => {
    closing = true
    // However late the timer is, what has arrived is read first.
    setTimeout(() => setImmediate(endUnused), GRACE_MS).unref()
  })
  // Whoever keeps a connection learns with the answer that it ends here; otherwise closing would wait for them.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
  return { closing: () => closing }
}
