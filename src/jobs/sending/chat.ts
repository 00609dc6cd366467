import type { ChannelKind } from '../../contract/channels.ts'
import type { Database } from '../../db/database.ts'
import { announcementOf } from '../../domain/channels/announcements.ts'
import { whyObsolete } from '../../domain/channels/breakage-messages.ts'
import { whyBudgetObsolete } from '../../domain/channels/budget-messages.ts'
import { whyDeploymentObsolete } from '../../domain/channels/deployment-messages.ts'
import { breakChannel } from '../../domain/channels/message-queue.ts'
import * as people from '../../domain/channels/people.ts'
import { isDecided, mailInstead, mentionedIn } from '../../domain/inbox/delivery-method.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { type Destination, rest } from '../../domain/sending/destinations.ts'
import * as messages from '../../domain/sending/messages.ts'
import { NoAnswer, safeFetch } from '../../net/safe-fetch.ts'
import type { Lane } from '../lanes.ts'
import { delayAfter, type SendingContext, type Transport } from './transport.ts'
import type { Outcome, Post, Room, VendorReply, VendorRequest } from './vendor.ts'
import { VENDORS } from './vendors/vendors.ts'

const TIMEOUT_MS = 10_000
/** The pause between two messages to one channel: the limit of the strictest vendor. */
const PACE_MS = 1_000
/** The pause between two direct messages: vendors limit the rate per conversation. */
const DIRECT_PACE_MS = 300
/** The pause until the inbox has decided whom a message mentions. */
const DECISION_S = 0.2
/** How long a message that another node began to send may be in transit. */
const SETTLED_MS = 5_000

/** The context of a step. */
interface Sending {
  context: SendingContext
  lane: Lane
  to: Destination & { kind: ChannelKind }
  message: messages.Message
}

/**
 * At most once, and only the newest revision: a message with an unknown result is searched for if the vendor supports it, and otherwise not
 * repeated.
 */
export const sendChatMessage: Transport = async (context, destination, lane) => {
  const [message] = await messages.head(context.db, destination, { limit: 1, in_order: false })
  if (!message) return 'done'
  const sending: Sending = { context, lane, to: destination as Sending['to'], message }
  if (message.is_interrupted && message.reference === '') await lookFor(sending)
  else if (message.is_stale) await messages.recordEnd(context.db, message, 'failed', 'It was pending for more than a day.')
  else await send(sending)
  return 'more'
}

const UNCERTAIN = 'The chat service didn’t confirm it, so it is not sent again automatically.'

/** A node began to send it and never recorded the result. */
async function lookFor(sending: Sending) {
  const { context, to, message } = sending
  const { db } = context
  const { find, read } = VENDORS[to.kind]
  const began = new Date(message.tried_at!)
  const since = Date.now() - began.getTime()
  if (since < SETTLED_MS) return rest(db, to, (SETTLED_MS - since) / 1000)
  // Only the reader and the vendor can see a direct message.
  if (!find || message.to_user_id) return messages.recordEnd(db, message, 'uncertain', UNCERTAIN)
  const request = find.ask(roomOf(sending), new Date(began.getTime() - SETTLED_MS), message.thread ?? undefined)
  const { reply } = await ask(sending, 'find', request)
  if (!reply || reply.status >= 500) return rest(db, to, delayAfter(message.tries))
  const outcome = read(reply)
  if (outcome.kind === 'later') return rest(db, to, outcome.seconds || delayAfter(message.tries))
  try {
    await messages.recordWaiting(db, message, { reference: find.read(reply, String(message.id)) ?? '' })
  } catch {
    await messages.recordEnd(db, message, 'uncertain', UNCERTAIN)
  }
}

async function send(sending: Sending) {
  const { context, to, message } = sending
  const { db, site } = context
  const vendor = VENDORS[to.kind]
  const obsolete = async (db: Database) =>
    (await whyObsolete(db, message)) ?? (await whyBudgetObsolete(db, message)) ?? (await whyDeploymentObsolete(db, message))
  if ((await obsolete(db)) !== undefined && (await messages.skip(db, message, obsolete))) return
  const announcement = await announcementOf(db, message, site)
  if (!announcement) return messages.recordEnd(db, message, 'failed', 'The record it was about was deleted.')
  const isFirst = message.reference === ''
  const isToRoom = message.to_user_id === 0 && announcement.mentions.length > 0
  if (isToRoom && isFirst && !(await isDecided(db, message))) return rest(db, to, DECISION_S)
  const room = roomOf(sending)
  const mentioned = isToRoom ? await mentionedIn(db, message) : undefined
  const mentions = announcement.mentions.filter(({ user_id }) => mentioned?.has(user_id))
  const named = new Set(message.to_user_id ? [message.to_user_id] : mentions.map(({ user_id }) => user_id))
  const chatIds = await chatIdsOf(sending, [...named])
  const direct = message.to_user_id ? chatIds.get(message.to_user_id) : undefined
  // A person who cannot be found at the vendor gets an email instead.
  const lost = [...named].filter((userId) => !chatIds.has(userId))
  if (isFirst) for (const userId of lost) await mailInstead(db, context, message, userId)
  if (message.to_user_id && direct === undefined)
    return messages.recordEnd(
      db,
      message,
      'failed',
      'Nobody there has their email address, or they no longer have access to the project.',
    )
  if (direct !== undefined) room.room = vendor.direct!(direct)
  const post: Post = {
    id: String(message.id),
    announcement: { ...announcement, mentions, here: announcement.here && message.to_user_id === 0 },
    chatIdOf: ({ user_id }) => chatIds.get(user_id),
    ...(message.thread && { thread: message.thread }),
    ...(message.to_user_id && { reader: message.to_user_id }),
  }
  await messages.begin(db, to, message, (to.is_direct ? DIRECT_PACE_MS : PACE_MS) / 1000)
  const action = message.reference !== '' && vendor.edit ? 'edit' : 'post'
  const request = (plain: boolean) =>
    action === 'edit' ? vendor.edit!(room, post, message.reference, plain) : vendor.post(room, post, plain)
  let outcome = await attemptOnce(sending, action, request(false))
  if (outcome.kind === 'refused') outcome = await attemptOnce(sending, action, request(true))
  if (outcome.kind === 'refused' && isFirst) for (const userId of named) await mailInstead(db, context, message, userId)
  await record(sending, action, outcome)
}

async function record({ context: { db }, to, message }: Sending, action: messages.Attempt['action'], outcome: Outcome) {
  const later = async (seconds: number, why: string) => {
    if (await messages.recordLater(db, to, message, seconds, why))
      await breakChannel(db, to, `No message could be delivered for 5 days. Last error: ${why}`)
  }
  switch (outcome.kind) {
    case 'sent':
      return messages.recordSent(db, message, outcome.reference || message.reference)
    case 'later':
      return later(Math.max(outcome.seconds, delayAfter(message.tries)), outcome.why)
    case 'unknown':
      // An edit can be repeated; a post might appear twice.
      return action === 'edit' ? later(delayAfter(message.tries), outcome.why) : undefined
    case 'gone':
      // One person who left does not switch off the bot for the others.
      if (message.to_user_id && outcome.of === 'room') return messages.recordEnd(db, message, 'failed', outcome.why)
      return db.transaction(async (db) => {
        await messages.recordWaiting(db, message, { error: outcome.why })
        await breakChannel(db, to, outcome.why)
      })
    case 'lost':
      return messages.recordWaiting(db, message, { reference: '' })
    case 'refused':
      return messages.recordEnd(db, message, 'failed', outcome.why)
  }
}

async function attemptOnce(sending: Sending, action: messages.Attempt['action'], request: VendorRequest): Promise<Outcome> {
  const { reply, error, mayHaveArrived } = await ask(sending, action, request)
  if (reply) return VENDORS[sending.to.kind].read(reply)
  return mayHaveArrived ? { kind: 'unknown', why: error } : { kind: 'later', seconds: 0, why: error }
}

const roomOf = ({ to: { room, secrets }, context: { slackApi } }: Sending): Room => ({
  room,
  secret: secrets[0]!,
  ...(slackApi !== undefined && { api: slackApi }),
})

interface Answer {
  reply?: VendorReply
  error: string
  mayHaveArrived: boolean
}

const RESPONSE_MAX = 1_000

/** Once, and recorded as an attempt. */
async function ask(
  { context: { db, allowed }, lane: { signal }, message }: Sending,
  action: messages.Attempt['action'],
  { url, ...request }: VendorRequest,
): Promise<Answer> {
  const at = new Date()
  const began = performance.now()
  const webhooks: typeof allowed = (host, address, port) => allowed(host, address, port, 'webhooks')
  const answer = await safeFetch(url, webhooks, { ...request, timeout: TIMEOUT_MS, signal }).then(
    ({ status, headers, body }): Answer => ({
      reply: { status, headers, body: body.toString() },
      error: '',
      mayHaveArrived: true,
    }),
    (error: Error): Answer => ({
      error: error.message,
      mayHaveArrived: error instanceof NoAnswer && error.mayHaveArrived,
    }),
  )
  const attempt = {
    message_id: message.id,
    action,
    at: at.toISOString(),
    milliseconds: performance.now() - began,
    status: answer.reply?.status ?? null,
    error: scrub(answer.error),
    response: action === 'find' ? '' : scrub((answer.reply?.body ?? '').slice(0, RESPONSE_MAX)),
  }
  await messages.recordAttempts(db, message.account_id, [attempt])
  return answer
}

/** People's ids at the vendor. Unknown people are looked up by their address; those not found are named without a mention. */
async function chatIdsOf(sending: Sending, userIds: readonly number[]): Promise<Map<number, string>> {
  const { context, lane, to, message } = sending
  if (userIds.length === 0 || message.project_id === null) return new Map()
  const { db, allowed } = context
  const { findPerson } = VENDORS[to.kind]
  const found = new Map<number, string>()
  for (const { user_id, chat_id, email } of await people.known(db, to, message.project_id, userIds)) {
    if (chat_id !== null) found.set(user_id, chat_id)
    else if (email !== null && findPerson) {
      const { url, ...request } = findPerson.ask(roomOf(sending), email)
      const chatId = await safeFetch(url, allowed, { ...request, timeout: TIMEOUT_MS, signal: lane.signal })
        .then(({ status, headers, body }) => findPerson.read({ status, headers, body: body.toString() }))
        .catch(() => null)
      // A failed lookup is repeated with the next message.
      if (chatId === null) continue
      await people.remember(db, to, user_id, chatId)
      if (chatId !== undefined) found.set(user_id, chatId)
    }
  }
  return found
}
