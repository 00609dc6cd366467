import { createSocket } from 'node:dgram'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { Entry } from '../../domain/audit/audit-log.ts'
import { PORTS } from '../../domain/sending/audit-streams.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import { resolveHost } from '../../net/safe-fetch.ts'

/** Facility 13, log audit; severity 5, notice. */
const PRIORITY = 13 * 8 + 5
/** The largest datagram that common receivers do not truncate. */
const DATAGRAM_MAX = 8_192
const PATIENCE_MS = 10_000
/** How long a receiver may take to close its side, which shows that it has read to the end. */
const CLOSING_MS = 3_000

/** An entry as in RFC 5424. Non-ASCII characters are JSON-escaped: then the text needs no encoding mark. */
function syslogLine(entry: Entry, host: string): string {
  const at = new Date(entry.at).toISOString()
  const id = entry.action.replace(/[^\x21-\x7e]/g, '_').slice(0, 32)
  return `<${PRIORITY}>1 ${at} ${host} goldmaster ${entry.account_id} ${id} [meta sequenceId="${entry.position}"] ${ascii(JSON.stringify(entry))}`
}

const ascii = (json: string) =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const datagram = (entry: Entry, host: string) => {
  const line = syslogLine(entry, host)
  return line.length <= DATAGRAM_MAX
    ? line
    : syslogLine({ ...entry, before: null, after: { left_out: 'too long for UDP' } }, host)
}

/** Throws if the receipt is uncertain; with UDP it always is. */
export async function sendSyslog(url: URL, entries: Entry[], { allowed, host, signal }: Sending): Promise<void> {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || PORTS[url.protocol as keyof typeof PORTS]
  const addresses = await resolveHost(name, (host, address, port) => allowed(host, address, port, 'webhooks'), { port, signal })
  const { address, family } = addresses[0]!
  if (url.protocol === 'syslog+udp:')
    return sendDatagrams(
      { address, family, port },
      entries.map((entry) => datagram(entry, host)),
    )
  const socket =
    url.protocol === 'syslog+tls:'
      ? connectTls({ host: address, port, ...(isIP(name) === 0 && { servername: name }) })
      : connect({ host: address, port })
  // The length before each: a text may contain any character.
  const frames = entries.map((entry) => syslogLine(entry, host)).map((line) => `${line.length} ${line}`)
  await sendAll(socket, frames.join(''), signal)
}

interface Sending {
  allowed: AllowedHosts
  /** The name of this service. */
  host: string
  signal: AbortSignal
}

/**
 * Syslog acknowledges nothing. Closing the connection after each batch is the next best: a receiver that read to the end closes its side,
 * one that is gone resets the connection.
 */
function sendAll(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (why: string) => () => socket.destroy(new Error(why))
    const timer = setTimeout(stop(`no connection or no data accepted within ${PATIENCE_MS / 1000} s`), PATIENCE_MS)
    let closing: NodeJS.Timeout | undefined
    const broken = stop('connection closed')
    signal.addEventListener('abort', broken)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      clearTimeout(closing)
      signal.removeEventListener('abort', broken)
      settle()
      socket.destroy()
    }
    socket
      .on('error', (error) => end(() => reject(explained(socket, error))))
      .on('close', () => end(resolve))
      .on('finish', () => {
        clearTimeout(timer)
        closing = setTimeout(() => end(resolve), CLOSING_MS)
      })
      .resume()
      .end(text)
    if (signal.aborted) broken()
  })
}

/** A readable error for the person who configured the stream; they don't read the service's log. */
function explained(socket: Socket, error: NodeJS.ErrnoException & { reason?: string }): Error {
  if (!(socket instanceof TLSSocket)) return error
  // Node reports which check failed: issuer, time or names.
  if (socket.authorizationError) return new Error(`certificate not trusted: ${error.message}`)
  if (error.code === 'EPROTO' || error.code?.startsWith('ERR_SSL')) return new Error(`TLS failed: ${error.reason ?? error.code}`)
  return socket.getProtocol() === null && error.code === 'ECONNRESET'
    ? new Error('the server closed the connection before TLS was established')
    : error
}

async function sendDatagrams({ address, family, port }: { address: string; family: number; port: number }, lines: string[]) {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    for (const line of lines)
      await new Promise<void>((resolve, reject) =>
        socket.send(line, port, address, (error) => (error ? reject(error) : resolve())),
      )
  } finally {
    socket.close()
  }
}
