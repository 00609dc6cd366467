import type { Database } from '../db/database.ts'
import type { Door } from '../domain/webhook-access.ts'
import { readBody } from './body.ts'
import { deliver, refuse } from './deliver.ts'
import { type Delivery, type Handshake, Unreadable } from './facts.ts'
import type { Delivered } from './keep.ts'
import { providers } from './providers/index.ts'

/** A request as it came in, its token already matched. */
export interface Request {
  path: string
  headers: Delivery['headers']
  raw: Buffer
  url: string
  received: Date
}

export type TakenIn = { handshake: Handshake } | { delivered: Delivered }

/** Everything that needs the body: first contact, signature, reading, recording. */
export async function takeIn(db: Database, door: Door, request: Request): Promise<TakenIn> {
  const provider = providers[door.provider]
  const [body, unreadable] = attemptBody(request)
  const delivery: Delivery = { ...request, body, config: door.config }
  const handshake = unreadable ? undefined : provider.handshake?.(delivery)
  if (handshake) return { handshake }
  if (provider.verify && !provider.verify(delivery, door.secrets))
    throw await refuse(db, door, provider, delivery, 401, 'The signature is missing, wrong or too old.')
  if (unreadable) throw await refuse(db, door, provider, delivery, 422, unreadable.message)
  return { delivered: await deliver(db, door, provider, delivery) }
}

function attemptBody({ raw, headers }: Request): [body: unknown, unreadable?: Unreadable] {
  try {
    return [readBody(raw, headers['content-type'])]
  } catch (error) {
    if (error instanceof Unreadable) return [undefined, error]
    throw error
  }
}
