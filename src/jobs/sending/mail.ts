import { createHash } from 'node:crypto'
import type { Transporter } from 'nodemailer'
import type { Logger } from 'pino'
import type { Pool } from '../../db/database.ts'
import { LEASES } from '../../db/queue.ts'
import { oneByOne } from '../../domain/accounts/isolation.ts'
import * as mails from '../../domain/mail/mails.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { NoAnswer } from '../../net/safe-fetch.ts'
import type { Breaker } from '../breaker.ts'
import type { Lane, Work } from '../lanes.ts'
import { delayAfter } from './transport.ts'

/** A healthy mail server is faster; the library would wait for ten minutes. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

const isSilence = (error: unknown) =>
  ['ETIMEDOUT', 'ECONNECTION', 'ESOCKET', 'EDNS'].includes((error as { code?: string }).code ?? '')

/** Hands one mail to the mail server. */
export type Post = (mail: mails.QueuedMail) => Promise<unknown>

export function openPost({ url, from }: { url: string; from: string }): Post {
  let transport: Promise<Transporter> | undefined
  return async ({ id, to, subject, text, unsubscribe }) => {
    // The same each time: a mail that is sent again, because its acknowledgment was lost, is recognized.
    const name = createHash('sha256').update(`${id}\n${to}\n${text}`).digest('hex').slice(0, 32)
    const messageId = `<${name}@${from.split('@').at(-1)!.replace('>', '')}>`
    // Loaded with the first mail, to keep the start fast.
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport({ url, ...TIMEOUTS }, { from }))
    try {
      return await (await transport).sendMail({
        messageId,
        // An object: as a text, `somebody,victim@example.com` would be two addresses, and the mail would go to the second.
        to: { name: '', address: to },
        subject,
        text,
        html: htmlOf(text),
        headers: headersOf(unsubscribe),
      })
    } catch (error) {
      throw isSilence(error) ? new NoAnswer((error as Error).message, { cause: error }) : error
    }
  }
}

/** Marks automated mail, without replies; unrequested mail has one-click unsubscribe, also for the mail program's own button. */
const headersOf = (unsubscribe: string): Record<string, string> => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribe !== '' && { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

/** The name of the mail server in the breaker and on the operator's page. */
const SERVER = 'smtp'
/** After this a lane ends, so that others get a turn. */
const TURN_MS = 10_000

interface MailContext {
  db: Pool
  log: Logger
  post?: Post
}

/** The queue of the mail server. Without one, mails are kept for operators to read, and are not sent later either. */
export function mailLanes({ db, log, post }: MailContext, breaker: Breaker): Work {
  const turns: Turns = new Map()
  return {
    name: 'mail server',
    lease: LEASES.mails,
    fill: async () => false,
    async due({ busy, resting }) {
      if (post === undefined) await mails.keepUnsent(db)
      if (post === undefined || breaker.isOpen(SERVER)) return []
      const due = (await mails.dueLanes(db)).filter((lane) => !busy.includes(lane) && !resting.includes(lane))
      // One mail checks whether the server is back.
      return breaker.isHalfOpen(SERVER) ? due.slice(0, busy.length === 0 ? 1 : 0) : due
    },
    async run(lane) {
      for (const began = performance.now(); !lane.stopping() && performance.now() - began < TURN_MS; )
        if (!(await sendNext({ db, log, post: post! }, lane, breaker, turns))) break
      return 0
    },
    close: () => {},
  }
}

/** The account of each lane whose turn it was. */
type Turns = Map<number, number>

/** At least once: a mail whose result was not recorded is sent again, with the same id. Returns false if nothing more can be sent now. */
export async function sendNext(
  { db, log, post }: Required<MailContext>,
  { id, signal }: Pick<Lane, 'id' | 'signal'>,
  breaker: Breaker,
  turns: Turns = new Map(),
): Promise<boolean> {
  const mail = await mails.next(db, id, turns.get(id) ?? -1)
  if (!mail) return false
  turns.set(id, mail.account_id)
  const send = () => sendOne({ db, log, post }, mail, signal, breaker)
  if (mail.account_id === 0) return send()
  // If it can't even be recorded how that went, the mails of the account rest, and no other ones wait for them.
  const [more = true] = await oneByOne(db, mails.SENDING, [mail.account_id], send, { signal })
  return more
}

async function sendOne(
  { db, log, post }: Required<MailContext>,
  mail: mails.QueuedMail,
  signal: AbortSignal,
  breaker: Breaker,
): Promise<boolean> {
  try {
    await unlessBrokenOff(post(mail), signal)
  } catch (error) {
    if (signal.aborted) return false
    await mails.recordFailed(db, mail.id, scrub((error as Error).message), delayAfter(mail.tries))
    if (!(error instanceof NoAnswer)) return true
    const pause = breaker.failed(SERVER)
    if (pause !== undefined)
      log.warn({ server: SERVER, seconds: Math.round(pause / 1000) }, 'a server does not respond; pausing requests')
    return !breaker.isOpen(SERVER)
  }
  breaker.answered(SERVER)
  await mails.recordSent(db, mail.id)
  return true
}

/** A stopping node does not wait for a mail server. */
async function unlessBrokenOff(work: Promise<unknown>, signal: AbortSignal) {
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The same text, with clickable links. */
export function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const paragraphs = escaped
    .replace(/https?:\/\/[^\s<>"]+/g, (url) => `<a href="${url}">${url}</a>`)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
  return `<!doctype html><html><body style="font-family:system-ui,sans-serif;line-height:1.5">${paragraphs.join('')}</body></html>`
}
