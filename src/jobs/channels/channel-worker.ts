import { setTimeout as sleep } from 'node:timers/promises'
import { announcementOf } from '../../domain/channels/announcements.ts'
import { whyObsolete } from '../../domain/channels/breakage-messages.ts'
import * as queue from '../../domain/channels/message-queue.ts'
import * as people from '../../domain/channels/people.ts'
import { mailInstead } from '../../domain/inbox/ways.ts'
import { NoAnswer, safeFetch } from '../../net/safe-fetch.ts'
import type { Lane } from '../lanes.ts'
import { delayAfter } from '../outgoing/webhook-worker.ts'
import type { WorkerContext } from '../worker.ts'
import type { Destination, Outcome, Post, VendorReply, VendorRequest } from './vendor.ts'
import { VENDORS } from './vendors/vendors.ts'

/** After this a lane ends, so that somebody else may have it. */
const TURN_MS = 10_000
const TIMEOUT_MS = 10_000
/** Between two messages to one channel: what the strictest vendor allows for long. */
const PACE_MS = 1_000
/** The pause between two direct messages: vendors limit the rate per conversation. */
const DIRECT_PACE_MS = 300
/** What somebody else began to send may be under way for this long. */
const SETTLED_MS = 5_000

export interface ChannelContext extends WorkerContext {
  /** Where Slack is asked, for those who stand in for it. */
  slackApi?: string
}

/** Works off one channel's messages, one after the other at its vendor's pace. */
export async function runChannelWorker(context: ChannelContext, lane: Lane): Promise<number> {
  const began = performance.now()
  while (!lane.stopping() && performance.now() - began < TURN_MS) {
    const head = await queue.head(context.db, context.vault, lane.id)
    if (!head || head.rests > TURN_MS) return 0
    await sleep(head.rests, undefined, { signal: lane.signal }).catch(() => {})
    if (lane.stopping()) return 0
    if (head.interrupted && head.reference === '') await lookFor(context, lane, head)
    else if (head.stale) await queue.recordEnd(context.db, head, 'failed', 'It was pending for more than a day.')
    else await tell(context, lane, head)
  }
  return 0
}

const UNCERTAIN = 'The chat service didn’t confirm it, so it is not sent again automatically.'

/** Somebody began to send it and never said what came of it. */
async function lookFor({ db, allowed, slackApi }: ChannelContext, lane: Lane, head: queue.Head) {
  const { find, read } = VENDORS[head.kind]
  const began = new Date(head.tried_at!)
  const since = Date.now() - began.getTime()
  if (since < SETTLED_MS) return queue.rest(db, head, (SETTLED_MS - since) / 1000)
  // Only its reader and the vendor know where a message to one person stands.
  if (!find || head.to_user_id) return queue.recordEnd(db, head, 'uncertain', UNCERTAIN)
  const asked = find.ask(destinationOf(head, slackApi), new Date(began.getTime() - SETTLED_MS), head.thread ?? undefined)
  const { reply } = await ask({ db, allowed }, lane, head, 'find', asked)
  if (!reply || reply.status >= 500) return queue.rest(db, head, delayAfter(head.tries))
  const meant = read(reply)
  if (meant.kind === 'later') return queue.rest(db, head, meant.seconds || delayAfter(head.tries))
  try {
    await queue.recordFound(db, head, find.read(reply, String(head.id)) ?? '')
  } catch {
    await queue.recordEnd(db, head, 'uncertain', UNCERTAIN)
  }
}

async function tell(context: ChannelContext, lane: Lane, head: queue.Head) {
  const { db, site } = context
  const vendor = VENDORS[head.kind]
  const obsolete = await whyObsolete(db, head)
  if (obsolete !== undefined) return queue.recordEnd(db, head, 'skipped', obsolete)
  const announcement = await announcementOf(db, head, site)
  if (!announcement) return queue.recordEnd(db, head, 'failed', 'The record it was about was deleted.')
  const to = destinationOf(head, context.slackApi)
  const named = new Set([...announcement.mentions.map(({ user_id }) => user_id), ...(head.to_user_id ? [head.to_user_id] : [])])
  const chatIds = await chatIdsOf(context, lane, head, [...named])
  const direct = head.to_user_id ? chatIds.get(head.to_user_id) : undefined
  // A person who cannot be found at the vendor gets an email instead.
  const lost = [...named].filter((userId) => !chatIds.has(userId))
  if (head.reference === '') for (const userId of lost) await mailInstead(db, context, head, userId)
  if (head.to_user_id && direct === undefined)
    return queue.recordEnd(
      db,
      head,
      'failed',
      'Nobody there has their email address, or they no longer have access to the project.',
    )
  if (direct !== undefined) to.room = vendor.direct!(direct)
  const post: Post = {
    id: String(head.id),
    announcement: head.to_user_id ? { ...announcement, mentions: [], here: false } : announcement,
    chatIdOf: ({ user_id }) => chatIds.get(user_id),
    ...(head.thread && { thread: head.thread }),
    ...(head.to_user_id && { reader: head.to_user_id }),
  }
  await queue.begin(db, head, head.to_user_id ? DIRECT_PACE_MS : PACE_MS)
  const action = head.reference !== '' && vendor.edit ? 'edit' : 'post'
  const request = (plain: boolean) =>
    action === 'edit' ? vendor.edit!(to, post, head.reference, plain) : vendor.post(to, post, plain)
  let outcome = await send(context, lane, head, action, request(false))
  if (outcome.kind === 'refused') outcome = await send(context, lane, head, action, request(true))
  await record(context, head, action, outcome)
}

function record({ db }: ChannelContext, head: queue.Head, action: queue.Attempt['action'], outcome: Outcome) {
  switch (outcome.kind) {
    case 'sent':
      return queue.recordSent(db, head, outcome.reference || head.reference)
    case 'later':
      return queue.recordLater(db, head, Math.max(outcome.seconds, delayAfter(head.tries)), outcome.why)
    case 'unknown':
      // To change it again does no harm; to post it again might say it twice.
      return action === 'edit' ? queue.recordLater(db, head, delayAfter(head.tries), outcome.why) : undefined
    case 'gone':
      // One person who left does not switch off the bot for the others.
      return head.to_user_id && outcome.of === 'room'
        ? queue.recordEnd(db, head, 'failed', outcome.why)
        : queue.recordGone(db, head, outcome.why)
    case 'lost':
      return queue.recordLost(db, head)
    case 'refused':
      return queue.recordEnd(db, head, 'failed', outcome.why)
  }
}

async function send(
  context: ChannelContext,
  lane: Lane,
  head: queue.Head,
  action: queue.Attempt['action'],
  request: VendorRequest,
): Promise<Outcome> {
  const { reply, error, mayHaveArrived } = await ask(context, lane, head, action, request)
  if (reply) return VENDORS[head.kind].read(reply)
  return mayHaveArrived ? { kind: 'unknown', why: error } : { kind: 'later', seconds: 0, why: error }
}

const destinationOf = ({ room, secret }: queue.Head, slackApi: string | undefined): Destination => ({
  room,
  secret,
  ...(slackApi !== undefined && { api: slackApi }),
})

interface Asked {
  reply?: VendorReply
  error: string
  mayHaveArrived: boolean
}

/** Once, and written into the message's log. */
async function ask(
  { db, allowed }: Pick<ChannelContext, 'db' | 'allowed'>,
  { signal }: Lane,
  head: queue.Head,
  action: queue.Attempt['action'],
  { url, ...request }: VendorRequest,
): Promise<Asked> {
  const at = new Date()
  const began = performance.now()
  const webhooks: typeof allowed = (host, address, port) => allowed(host, address, port, 'webhooks')
  const asked = await safeFetch(url, webhooks, { ...request, timeout: TIMEOUT_MS, signal }).then(
    ({ status, headers, body }): Asked => ({
      reply: { status, headers, body: body.toString() },
      error: '',
      mayHaveArrived: true,
    }),
    (error: Error): Asked => ({
      error: error.message,
      mayHaveArrived: error instanceof NoAnswer && error.mayHaveArrived,
    }),
  )
  await queue.log(db, head, {
    action,
    at,
    milliseconds: performance.now() - began,
    status: asked.reply?.status ?? null,
    error: asked.error,
    response: action === 'find' ? '' : (asked.reply?.body ?? ''),
  })
  return asked
}

/** What people are called at the vendor; those it has not heard of are looked for by their address, and are named without a ping. */
async function chatIdsOf(
  { db, allowed, slackApi }: ChannelContext,
  { signal }: Lane,
  head: queue.Head,
  userIds: readonly number[],
): Promise<Map<number, string>> {
  if (userIds.length === 0 || head.project_id === null) return new Map()
  const { findPerson } = VENDORS[head.kind]
  const channel = { id: head.channel_id, kind: head.kind }
  const found = new Map<number, string>()
  for (const { user_id, chat_id, email } of await people.known(db, channel, head.project_id, userIds)) {
    if (chat_id !== null) found.set(user_id, chat_id)
    else if (email !== null && findPerson) {
      const { url, ...request } = findPerson.ask(destinationOf(head, slackApi), email)
      const chatId = await safeFetch(url, allowed, { ...request, timeout: TIMEOUT_MS, signal })
        .then(({ status, headers, body }) => findPerson.read({ status, headers, body: body.toString() }))
        .catch(() => null)
      // Who cannot be looked for now is looked for the next time.
      if (chatId === null) continue
      await people.remember(db, head.channel_id, user_id, chatId)
      if (chatId !== undefined) found.set(user_id, chatId)
    }
  }
  return found
}
