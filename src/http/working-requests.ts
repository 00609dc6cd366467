import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Node closes a connection on which nothing was sent or received for a minute. Not while we work on a request that has arrived completely:
 * its sender waits for the answer, which may take longer, for example for a large upload on a busy day.
 */
export function keepWhileWorking(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.on('timeout', (socket: Socket) => {
      if (!request.raw.complete || reply.raw.headersSent) socket.destroy()
    })
    done()
  })
}
