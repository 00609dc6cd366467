import type { FastifyReply, FastifyRequest } from 'fastify'

/** A client may read the response until then; after an immediate reset it might never see it. */
const LINGER_MS = 2_000

/**
 * A large body that is refused by its headers is not read. Node would read and drop it: with many at once that is all it does, and
 * everybody else waits. The response is sent and the connection closed.
 */
export function leaveUnread({ raw }: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  // A listener for this event has to read the data itself: nothing flows.
  raw.on('readable', () => {})
  const { socket } = raw
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
