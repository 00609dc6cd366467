import type { FastifyReply, FastifyRequest } from 'fastify'

/** Until then a client may read the answer; reset at once, it might never see it. */
const LINGER_MS = 2_000

/**
 * A large body that is refused by its head is not read. Node would read and drop it: with many at once that is all it does, and everybody
 * else waits. The answer goes out and the connection ends behind it.
 */
export function leaveUnread({ raw }: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  // Who listens for this takes the data themselves: nothing flows.
  raw.on('readable', () => {})
  const { socket } = raw
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
