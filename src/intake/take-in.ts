import type { Database } from '../db/database.ts'
import type { Door } from '../domain/integrations/webhook-access.ts'
import { readBody } from './body.ts'
import { deliver, refuse } from './deliver.ts'
import { type Handshake, type Provider, type Unparsed, Unreadable } from './facts.ts'
import type { Delivered } from './keep.ts'
import { providers } from './providers/index.ts'

/** A request as it came in, its token already matched. */
export type Request = Omit<Unparsed, 'config'>

export type TakenIn = { handshake: Handshake } | { delivered: Delivered }

/** First contact proves nothing yet, so that only a short body is parsed for it. */
const HANDSHAKE_MAX = 16 * 1024

/** Everything that needs the body: first contact, signature, reading, recording. */
export async function takeIn(db: Database, door: Door, request: Request): Promise<TakenIn> {
  const provider = providers[door.provider]
  const unparsed: Unparsed = { ...request, config: door.config }
  const handshake = handshakeIn(provider, unparsed)
  if (handshake) return { handshake }
  const refused = (status: number, message: string, body?: unknown) =>
    refuse(db, door, provider, { ...unparsed, body }, status, message)
  if (provider.verify && !provider.verify(unparsed, door.secrets)) throw await refused(401, WRONG_SIGNATURE)
  const [body, unreadable] = attemptBody(request)
  if (unreadable) throw await refused(422, unreadable.message)
  const delivery = { ...unparsed, body }
  if (door.secrets.length > 0 && provider.isFresh?.(delivery) === false) throw await refused(401, WRONG_SIGNATURE, body)
  return { delivered: await deliver(db, door, provider, delivery) }
}

const WRONG_SIGNATURE = 'The signature is missing, wrong or too old.'

function handshakeIn({ handshake }: Provider, unparsed: Unparsed): Handshake | undefined {
  if (!handshake || unparsed.raw.length > HANDSHAKE_MAX) return undefined
  const [body, unreadable] = attemptBody(unparsed)
  return unreadable ? undefined : handshake({ ...unparsed, body })
}

function attemptBody({ raw, headers }: Request): [body: unknown, unreadable?: Unreadable] {
  try {
    return [readBody(raw, headers['content-type'])]
  } catch (error) {
    if (error instanceof Unreadable) return [undefined, error]
    throw error
  }
}
