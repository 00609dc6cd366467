import { WRONG_SIGNATURE } from '../contract/errors.ts'
import type { Database } from '../db/database.ts'
import type { IntegrationAuth } from '../domain/integrations/webhook-access.ts'
import { deliver, refuse } from './deliver.ts'
import { parseBody } from './parse-body.ts'
import type { Delivered } from './persist.ts'
import type { Handshake, Provider, ResultAddress, Unparsed } from './provider.ts'
import { providers } from './providers/index.ts'
import { Unreadable } from './reading.ts'

/** A request as it arrived, with its token already matched. */
export type Request = Omit<Unparsed, 'config'>

export type Received = { handshake: Handshake } | { delivered: Delivered; resultAddress?: ResultAddress | undefined }

/** A first contact is not authenticated yet, so only a short body is parsed for it. */
const HANDSHAKE_MAX = 16 * 1024

/** Everything that needs the body: handshake, then verify, parse, batch, persist and apply. The body is parsed once. */
export async function receive(db: Database, integration: IntegrationAuth, request: Request): Promise<Received> {
  const provider = providers[integration.provider]
  const unparsed: Unparsed = { ...request, config: integration.config }
  const refused = (status: number, message: string, body?: unknown) =>
    refuse(db, integration, provider, { ...unparsed, body }, status, message)

  const early = provider.handshake && request.raw.length <= HANDSHAKE_MAX ? parse(unparsed) : undefined
  const handshake = early && handshakeIn(provider, unparsed, early)
  if (handshake) return { handshake }

  if (!isVerified(provider, unparsed, integration)) throw await refused(401, WRONG_SIGNATURE)
  const { body, unreadable } = early ?? parse(unparsed)
  if (unreadable) throw await refused(422, unreadable.message)
  const delivery = { ...unparsed, body }
  if (integration.secrets.length > 0 && provider.isFresh?.(delivery) === false) throw await refused(401, WRONG_SIGNATURE, body)

  // Anybody with the webhook token could have sent an unsigned one.
  const signed =
    provider.places !== undefined && integration.secrets.length > 0 && provider.verify(unparsed, integration.secrets, true)
  const context = { ...integration, signed }
  return { delivered: await deliver(db, context, provider, delivery), resultAddress: provider.resultAddress?.(delivery) }
}

/** Without a secret no signature can be valid, so an integration that accepts only signed deliveries accepts none. */
const isVerified = (provider: Provider, unparsed: Unparsed, { secrets, requires_signature }: IntegrationAuth) =>
  !(requires_signature && secrets.length === 0) && provider.verify(unparsed, secrets, requires_signature)

interface Parsed {
  body?: unknown
  unreadable?: Unreadable
}

function parse({ raw, headers }: Unparsed): Parsed {
  try {
    return { body: parseBody(raw, headers['content-type']) }
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error }
    throw error
  }
}

const handshakeIn = (provider: Provider, unparsed: Unparsed, { body, unreadable }: Parsed) =>
  unreadable ? undefined : provider.handshake?.({ ...unparsed, body })
