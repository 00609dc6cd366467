import type { FastifyReply } from 'fastify'
import { clientGone } from '../../contract/errors.ts'
import { type Reservation, reserve } from '../../intake/body-memory.ts'

/** Memory for a body that is not read yet. Its sender may leave while it waits. */
export async function reserveBody(reply: FastifyReply, accountId: number, bytes: number, waitMs: number): Promise<Reservation> {
  const memory = await reserve(accountId, bytes, waitMs)
  if (!reply.raw.destroyed) return memory
  memory.release()
  throw clientGone()
}
