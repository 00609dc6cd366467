import { createHash } from 'node:crypto'
import type { Transporter } from 'nodemailer'
import type { Database } from '../db/database.ts'
import * as mails from '../domain/mail/mails.ts'
import { NoAnswer } from '../net/safe-fetch.ts'

/** A mail server that is well is faster; the library would wait for ten minutes. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

const isSilence = (error: unknown) =>
  ['ETIMEDOUT', 'ECONNECTION', 'ESOCKET', 'EDNS'].includes((error as { code?: string }).code ?? '')

/** Hands one mail to the mail server. */
export type Post = (mail: mails.Waiting) => Promise<unknown>

export function openPost({ url, from }: { url: string; from: string }): Post {
  let transport: Promise<Transporter> | undefined
  return async ({ id, to, subject, text, unsubscribe }) => {
    // The same each time: a mail that is sent again, for nobody heard that it had arrived, is known for what it is.
    const name = createHash('sha256').update(`${id}\n${to}\n${text}`).digest('hex').slice(0, 32)
    const messageId = `<${name}@${from.split('@').at(-1)!.replace('>', '')}>`
    // Loaded with the first mail: a start need not wait for it.
    transport ??= import('nodemailer').then(({ createTransport }) => createTransport({ url, ...TIMEOUTS }, { from }))
    try {
      return await (await transport).sendMail({
        messageId,
        // One address: as a line of text `somebody,victim@example.com` would be two, and go to the second.
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

/** Nobody answers a machine; and what nobody asked for is stopped with one click, also by the mail program's own button. */
const headersOf = (unsubscribe: string): Record<string, string> => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribe !== '' && { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

/** Without a mail server it stays where operators read it. A server that refuses is asked again later. */
export async function sendMail({ db, post }: { db: Database; post?: Post }, { mail_id }: { mail_id: number }) {
  const mail = post && (await mails.findWaiting(db, mail_id))
  if (!mail) return
  try {
    await post(mail)
  } catch (error) {
    await mails.noteFailed(db, mail_id, (error as Error).message)
    throw error
  }
  await mails.noteSent(db, mail_id)
}

/** The same words, with links that can be followed. */
export function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const paragraphs = escaped
    .replace(/https?:\/\/[^\s<>"]+/g, (url) => `<a href="${url}">${url}</a>`)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
  return `<!doctype html><html><body style="font-family:system-ui,sans-serif;line-height:1.5">${paragraphs.join('')}</body></html>`
}
