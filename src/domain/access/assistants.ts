import { type Database, sql } from '../../db/database.ts'
import { hashOf } from '../privacy/secrets.ts'

const NAME_MAX = 60
const UNUSED_MAX = 10_000
const UNUSED_DAYS = 7
const USED_DAYS = 365

interface Assistant {
  id: string
  name: string
  redirect_uris: string[]
}

/**
 * Anybody may register a client, so the rows are small, duplicates are stored once, and of the clients that nobody authorized only the
 * newest are kept.
 */
export async function register(db: Database, client_name: string, redirectUris: readonly string[]): Promise<Assistant> {
  const name = shownName(client_name)
  const redirect_uris = [...new Set(redirectUris.map(withoutLocalPort))].sort()
  const id = hashOf(JSON.stringify([name, redirect_uris])).toString('base64url')
  await db.execute(sql`
    insert into oauth_clients (id, name, redirect_uris) values (${id}, ${name}, ${redirect_uris})
    on conflict (id) do update set registered_at = now()`)
  await db.execute(sql`
    delete from oauth_clients where id in (
      select id from oauth_clients where used_at is null order by registered_at desc offset ${UNUSED_MAX})`)
  return { id, name, redirect_uris }
}

export const find = (db: Database, id: string): Promise<Assistant | undefined> =>
  db.one(sql`select id, name, redirect_uris from oauth_clients where id = ${id}`)

export const noteUse = (db: Database, id: string) => db.execute(sql`update oauth_clients set used_at = now() where id = ${id}`)

export const purge = (db: Database) =>
  db.execute(sql`
    delete from oauth_clients
    where (used_at is null and registered_at < now() - make_interval(days => ${UNUSED_DAYS}))
      or used_at < now() - make_interval(days => ${USED_DAYS})`)

/** Whether a redirect URI is allowed: as registered, but with any port on the person's own machine. */
export const allowsRedirect = ({ redirect_uris }: Assistant, uri: string): boolean =>
  isRedirectUri(uri) && redirect_uris.includes(withoutLocalPort(uri))

const LOCAL_HOSTS = ['127.0.0.1', '[::1]', 'localhost']
const isLocal = ({ protocol, hostname }: URL) => protocol === 'http:' && LOCAL_HOSTS.includes(hostname)

/** Editors that pass a URL to one of their extensions, named `publisher.extension`; other hosts have other meanings there. */
const EDITORS = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:']
/** A reversed domain name: the private scheme of a program, without a meaning to browsers or operating systems. */
const OWN_SCHEME = /^[a-z]{2,}(?:\.[a-z0-9-]+)+:$/

/**
 * A program on the person's machine. Another program there may claim the same scheme, but a code is useless without the verifier. A query
 * could carry commands to the program in our name.
 */
const isProgram = ({ protocol, host }: URL, text: string) =>
  !text.includes('?') &&
  text.startsWith('/', protocol.length) &&
  (OWN_SCHEME.test(protocol) || (EDITORS.includes(protocol) && /^[\w-]+\.[\w-]+$/.test(host)))

/** A program that listens on the person's own machine, on a port or a scheme. */
export const isOwnMachine = (uri: string): boolean => {
  const url = new URL(uri)
  return isLocal(url) || isProgram(url, uri)
}

/** The receiver of the code: a host, or a program's scheme, which ends in a colon. */
export const listener = (uri: string): string => {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** A page over HTTPS, or the person's own machine; nothing that runs in the browser or is sent unencrypted. */
export function isRedirectUri(text: unknown): text is string {
  if (typeof text !== 'string' || !/^[\x21-\x7e]{1,500}$/.test(text) || /[#\\]/.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === 'https:' || isLocal(url) || isProgram(url, text)) && url.username === '' && url.password === ''
}

function withoutLocalPort(uri: string): string {
  const url = new URL(uri)
  if (isLocal(url)) url.port = ''
  return url.href
}

/** The client's name is shown to people: one line, no invisible characters, short. */
const shownName = (text: string) => {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
  return [...line].slice(0, NAME_MAX).join('').trim() || 'An assistant'
}
