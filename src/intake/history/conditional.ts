import { createHash } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as etags from '../../domain/integrations/etags.ts'
import { type Json, object, text } from '../reading.ts'
import type { Send } from './ask.ts'
import type { HistoryRequest } from './history.ts'

/** Asks for what has changed since the night before. */
export interface Conditional {
  send: Send
  /** What comes after a page that has not changed. */
  after(request: HistoryRequest): { next?: Json }
  /** What is stored with the page. */
  replies(page: HistoryRequest, next: Json | undefined): etags.KnownReply[]
}

/**
 * The requests of a nightly check are those of the night before, mostly with the same replies. An import that somebody starts asks for
 * everything: it also restores what was deleted here.
 */
export async function conditional(
  db: Database,
  { account_id, integration_id, config }: IntegrationContext,
  send: Send,
): Promise<Conditional> {
  const known = await etags.known(db, { account_id, id: integration_id })
  const found = new Map<string, string>()
  const keyOf = ({ path }: HistoryRequest) =>
    createHash('sha256')
      .update(`${text(config.server)} ${path}`)
      .digest('hex')
  return {
    async send(request) {
      const key = keyOf(request)
      const etag = known.get(key)?.etag
      const answered = await send(etag === undefined ? request : { ...request, etag })
      const told = text(answered.headers.etag) ?? (answered.isUnchanged ? etag : undefined)
      if (told !== undefined) found.set(key, told)
      return answered
    },
    after(request) {
      const next = object(known.get(keyOf(request))?.next)
      return next === undefined ? {} : { next }
    },
    replies: (page, next) =>
      [...found].map(([request, etag]) => ({ request, etag, next: request === keyOf(page) ? (next ?? null) : null })),
  }
}
