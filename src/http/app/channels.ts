import type { channelRoutes } from '../../contract/app/channels.ts'
import * as readers from '../../contract/field-readers.ts'
import * as channels from '../../domain/channels/channels.ts'
import * as log from '../../domain/channels/message-log.ts'
import * as inbox from '../../domain/inbox/inbox.ts'
import * as preferences from '../../domain/inbox/preferences.ts'
import { readUnsubscribe } from '../../domain/inbox/unsubscribe.ts'
import { done, type Handlers } from '../routes/call.ts'
import { idOf, shortIdOf } from '../routes/path-ids.ts'
import type { Service } from '../service.ts'

/** Chat channels of an account, and the inbox of the signed-in user. */
export const channelHandlers: Handlers<keyof typeof channelRoutes> = {
  listChannels: async ({ db, account_id }) => ({ channels: await channels.list(db, account_id) }),
  createChannel: ({ db, vault, account_id, body }) => channels.create(db, vault, account_id, body),
  editChannel: ({ db, vault, account_id, path, body }) =>
    channels.edit(db, vault, account_id, shortIdOf(path.id, 'Channel'), body),
  async removeChannel({ db, account_id, path }) {
    await channels.remove(db, account_id, shortIdOf(path.id, 'Channel'))
    return done
  },
  testChannel: async (call) => log.test(call.db, await own(call)),
  listChannelMessages: async (call) => log.list(call.db, (await own(call)).id, call.query),
  showChannelMessage: async (call) => log.find(call.db, await own(call), idOf(call.path.message_id, 'Message'), call.site),
  async replayChannelMessage(call) {
    await log.replay(call.db, await own(call), idOf(call.path.message_id, 'Message'))
    return done
  },

  listNotifications: ({ db, caller, query }) => inbox.list(db, caller.user_id, query, caller.blocked_account_ids),
  async markNotifications({ db, caller, body }) {
    await inbox.mark(db, caller.user_id, body)
    return done
  },
  showPreferences: ({ db, caller }) => preferences.show(db, caller.user_id),
  editPreferences({ db, caller, body }) {
    if (body.timezone != null) readers.timezone('timezone', body.timezone)
    return preferences.edit(db, caller.user_id, body)
  },
  async showUnsubscribe({ vault, query }) {
    return { kind: readUnsubscribe(vault, query.token ?? '').kind }
  },
}

const own = ({ db, account_id, path }: { db: Service['db']; account_id: number; path: { id: string } }) =>
  channels.find(db, account_id, shortIdOf(path.id, 'Channel'))
