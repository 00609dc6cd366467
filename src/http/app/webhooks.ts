import type { webhookRoutes } from '../../contract/app/webhooks.ts'
import { notFound } from '../../contract/errors.ts'
import { refuseIfFull } from '../../domain/accounts/quotas.ts'
import * as webhookLog from '../../domain/webhooks/webhook-log.ts'
import * as webhooks from '../../domain/webhooks/webhooks.ts'
import { done, type Handlers } from '../routes/call.ts'
import { shortIdOf } from '../routes/path-ids.ts'
import type { Service } from '../service.ts'

/** Outbound webhooks and their messages. The id of another account's webhook is not found. */
export const webhookHandlers: Handlers<keyof typeof webhookRoutes> = {
  listWebhooks: async ({ db, account_id }) => ({ webhooks: await webhooks.list(db, account_id) }),
  async createWebhook({ db, vault, account_id, body, quotas }) {
    await refuseIfFull(db, quotas, account_id, 'webhooks')
    return webhooks.create(db, vault, { account_id, ...body })
  },
  async editWebhook(call) {
    const { db, body } = call
    const id = await webhook(call)
    const { status, ...fields } = body
    await webhooks.edit(db, id, fields)
    if (status === 'paused') return webhooks.pause(db, id)
    return status === 'active' ? webhooks.resume(db, id) : webhooks.find(db, id)
  },
  async removeWebhook(call) {
    await webhooks.remove(call.db, await webhook(call))
    return done
  },
  showWebhookSecret: async (call) => ({ secret: await webhooks.showSecret(call.db, call.vault, await webhook(call)) }),
  rotateWebhookSecret: async (call) => webhooks.rotateSecret(call.db, call.vault, await webhook(call)),
  listOutgoing: async (call) => webhookLog.list(call.db, await webhook(call), call.query),
  showOutgoing: async (call) => webhookLog.find(call.db, await webhook(call), call.path.message_id),
  async replayOutgoing(call) {
    await webhookLog.replay(call.db, await webhook(call), call.path.message_id)
    return done
  },
}

async function webhook({
  db,
  account_id,
  path,
}: {
  db: Service['db']
  account_id: number
  path: { id: string }
}): Promise<number> {
  const found = await webhooks.find(db, shortIdOf(path.id, 'Webhook'))
  if (found.account_id !== account_id) throw notFound('Webhook')
  return found.id
}
