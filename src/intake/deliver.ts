import { createHash } from 'node:crypto'
import { ApiError } from '../contract/errors.ts'
import { type Database, isConnectionError } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import type { IntegrationAuth } from '../domain/integrations/webhook-access.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { admit } from './admission.ts'
import { batch } from './batch.ts'
import { requireBounds } from './bounds.ts'
import type { Fact } from './facts.ts'
import { type Delivered, enqueueDelivery } from './persist.ts'
import { type Delivery, PATIENCE_MS, type Provider } from './provider.ts'
import { Unreadable } from './reading.ts'
import { leanBody, withoutLogs } from './reports/lean-body.ts'
import { withoutSecrets } from './reports/secret-fields.ts'

/** A delivery that was stored but could not be used. */
export class Refused extends Error {
  readonly status: number
  readonly delivery_id: string

  constructor(message: string, status: number, deliveryId: number) {
    super(message)
    this.status = status
    this.delivery_id = String(deliveryId)
  }
}

const EMPTY = Buffer.alloc(0)

/** Stores a refused delivery, so that its sender can find out why; in turn, or a tool that sends nonsense would keep others waiting. */
export async function refuse(
  db: Database,
  context: IntegrationContext,
  provider: Provider,
  delivery: Delivery,
  status: number,
  why: string,
  replayOf?: number,
) {
  const message = scrub(why)
  const kept: deliveries.Kept = { outcome: 'failed', status, records: [], message, milliseconds: 0 }
  // A body that could not or must not be parsed is not searched for an event name either.
  const arrival = arrivalOf(context, provider, delivery.body === undefined ? { ...delivery, raw: EMPTY } : delivery, replayOf)
  const stored = { ...arrival, body: storedBody(provider, delivery.raw) }
  return new Refused(message, status, await admit(db, context.account_id, () => deliveries.note(db, stored, kept)))
}

/** Records a tool's first contact. */
export const noteHandshake = (
  db: Database,
  context: IntegrationContext,
  provider: Provider,
  delivery: Delivery,
  message: string,
) =>
  deliveries.note(
    db,
    { ...arrivalOf(context, provider, delivery), event: 'handshake' },
    {
      outcome: 'processed',
      status: 200,
      records: [],
      message,
      milliseconds: 0,
    },
  )

export const RECORDING_FAILED = 'Recording failed on our side.'

/** Reads the delivery, then records it with its results and jobs in one transaction. */
export async function deliver(
  db: Database,
  context: IntegrationContext & Partial<Pick<IntegrationAuth, 'is_behind' | 'asked_at'>>,
  provider: Provider,
  delivery: Delivery,
  replayOf?: number,
): Promise<Delivered> {
  // The sender has waited since then: for its token to be matched, for memory and for its body to be read.
  const began = performance.now() - Math.max(0, Date.now() - delivery.received.getTime())
  const arrival = arrivalOf(context, provider, delivery, replayOf)
  let facts: Fact[]
  try {
    facts = provider.read(delivery)
    if (delivery.lean) facts = withoutLogs(facts)
    requireBounds(facts)
  } catch (error) {
    throw error instanceof Unreadable ? await refuse(db, context, provider, delivery, 422, error.message, replayOf) : error
  }
  const lean_body = delivery.lean ? delivery.raw : leanBody(delivery.raw, facts)
  const signed = context.signed === true
  const reading = { arrival: lean_body ? { ...arrival, lean_body } : arrival, facts, signed, began }
  try {
    if (provider.answers === 202 && replayOf === undefined) return await enqueueDelivery(db, context, reading)
    return await batch(db, context, reading, provider.patience ?? PATIENCE_MS)
  } catch (error) {
    // Best effort: the tool gets an error either way, and may retry. Skipped if the database is unreachable or stuck.
    if (!isConnectionError(error) && !(error instanceof ApiError))
      await refuse(db, context, provider, delivery, 500, RECORDING_FAILED, replayOf).catch(() => {})
    throw error
  }
}

const KEY_MAX = 200
const hash = (...parts: (string | Buffer)[]) => parts.reduce((sha, part) => sha.update(part), createHash('sha256')).digest('hex')

/** The tool's delivery id, otherwise a hash of its content; long ids are hashed. */
function dedupeKey(provider: Provider, delivery: Delivery): string {
  const own = provider.deliveryKey?.(delivery)
  if (own === undefined) return hash(delivery.path, '\n', delivery.raw)
  return own.length > KEY_MAX || own.includes('\0') ? hash(own) : own.toWellFormed()
}

export const arrivalOf = (
  context: IntegrationContext,
  provider: Provider,
  delivery: Delivery,
  replayOf?: number,
): deliveries.Arrival => ({
  account_id: context.account_id,
  integration_id: context.integration_id,
  path: delivery.path,
  event: scrub(provider.event(delivery).replaceAll('\0', '').toWellFormed()).slice(0, 200),
  dedupe_key: dedupeKey(provider, delivery),
  headers: shownHeaders(provider, delivery.headers),
  body: storedBody(provider, delivery.raw),
  ...(delivery.over_quota && { over_quota: true }),
  ...(replayOf !== undefined && { replay_of: replayOf }),
})

/** The body for the delivery log. */
const storedBody = ({ secretsInBody = [] }: Provider, raw: Buffer) => withoutSecrets(raw, secretsInBody)

const SECRET_HEADER = /authorization|cookie|token|signature|secret|key/i

/** Proxies add the requested URL, which contains `token`. */
const IN_ADDRESS = /([?&]token=)[^&\s]+/gi

/** Headers for the delivery log. */
const shownHeaders = ({ secretHeaders = [] }: Provider, headers: Delivery['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || SECRET_HEADER.test(name) || secretHeaders.includes(name)
        ? []
        : [[name, value.replaceAll('\0', '').toWellFormed().replace(IN_ADDRESS, '$1[removed]')]],
    ),
  )
