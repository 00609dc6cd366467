import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** The required server type, in libpq's terms; the first is what a writing service needs. */
const TARGETS = ['read-write', 'primary', 'any'] as const
type Target = (typeof TARGETS)[number]

interface Hosts {
  /** A URL per host, in the order given. */
  urls: string[]
  target: Target
}

/** The hosts of a URL with several, as libpq reads it: `a:5432,b:5432` or `?host=a,b&port=5432`. */
export function readHostList(url: string): Hosts | undefined {
  const [, scheme, user = '', authority, path, query = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/.exec(url) ?? []
  const parts = query.split('&').map((part) => part.split('=') as [string, string?])
  const given = (name: string) => parts.find((part) => part[0] === name)?.[1]
  // A comma within a socket path is encoded.
  const list = (given('host') ?? authority ?? '').split(',')
  if (list.length < 2) return undefined
  if (list.includes('')) throw new Error('one of several hosts is empty')
  const target = given('target_session_attrs') ?? TARGETS[0]
  if (!TARGETS.some((known) => known === target)) throw new Error(`target_session_attrs must be one of ${TARGETS.join(', ')}`)
  const ports = given('port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== list.length) throw new Error(`${ports.length} ports for ${list.length} hosts`)
  const rest = parts
    .filter(([name]) => !['', 'host', 'port', 'target_session_attrs'].includes(name))
    .map((part) => part.join('='))
  const urls = list.map((host, i) => {
    const port = ports[i] ?? ports[0]
    const own = [...(given('host') ? [`host=${host}`] : []), ...(port ? [`port=${port}`] : []), ...rest]
    return `${scheme}${user}${given('host') ? '' : host}${path}${own.length > 0 ? `?${own.join('&')}` : ''}`
  })
  return { urls, target: target as Target }
}

/** The options for a client or a pool of `pg`. With several hosts, each connection uses a suitable one. */
export function addressOf(url: string): { connectionString: string; Client: typeof pg.Client } {
  const hosts = readHostList(url)
  if (!hosts) return { connectionString: url, Client: pg.Client }
  return { connectionString: hosts.urls[0]!, Client: clientFor(url, hosts) }
}

/** One client; the caller connects it. */
export function openClient(url: string, config: pg.ClientConfig): pg.Client {
  const { Client, connectionString } = addressOf(url)
  return new Client({ ...config, connectionString })
}

/** `pg` takes a host when a client is created, but passes it to the socket only when it connects: until then it can be chosen. */
const clientFor = (list: string, hosts: Hosts): typeof pg.Client =>
  class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void) {
      const connected = this.#connect()
      if (!callback) return connected
      void connected.then(() => callback(undefined as unknown as Error), callback)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const { host, port } = new pg.Client(await chosen(list, hosts))
      const { connection, connectionParameters } = this as unknown as Inside
      // The pool gave up meanwhile; connecting would reopen its socket.
      if (connection.stream.destroyed) throw unreachable('timeout expired')
      Object.assign(this, { host, port })
      Object.assign(connectionParameters, { host, port })
      await super.connect()
      try {
        await verify(this, hosts.target)
      } catch (error) {
        void this.end().catch(() => {})
        throw error
      }
      return this
    }
  }

interface Inside {
  connection: { stream: { destroyed: boolean } }
  connectionParameters: object
}

/** How long a choice is valid: connections that are opened together make it once. */
const FRESH_MS = 1_000
const choices = new Map<string, { url: Promise<string>; until: number }>()

function chosen(list: string, hosts: Hosts): Promise<string> {
  const held = choices.get(list)
  if (held && performance.now() < held.until) return held.url
  const choice = { url: choose(hosts), until: Number.POSITIVE_INFINITY }
  choices.set(list, choice)
  choice.url.then(
    () => (choice.until = performance.now() + FRESH_MS),
    () => choices.delete(list),
  )
  return choice.url
}

/** Within the time that a pool waits for a connection. */
const TIMEOUT_MS = 3_000
/** After this time the next host is tried in parallel with a silent one. */
const HEAD_START_MS = 500

async function choose({ urls, target }: Hosts): Promise<string> {
  const probes: Promise<string>[] = []
  for (const url of urls) {
    probes.push(probe(url, target))
    const found = await Promise.race([
      // All that were tried have failed: try the next at once.
      Promise.any(probes).catch(() => undefined),
      sleep(HEAD_START_MS, undefined, { ref: false }),
    ])
    if (found) return found
  }
  return Promise.any(probes).catch(({ errors }: AggregateError) => {
    // A wrong password or database name is the error to report, whatever the others said.
    const refusal = errors.find(({ code }) => /^(28|3D)/.test(code))
    if (refusal) throw refusal
    const reasons = errors.map((error, i) => {
      const { host, port } = new pg.Client(urls[i])
      return `${host}:${port}: ${error.code === UNSUITABLE ? error.message : error.code || error.message}`
    })
    throw unreachable(`none of the hosts is ${target === 'any' ? 'there' : target} (${reasons.join('; ')})`)
  })
}

async function probe(url: string, target: Target): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    application_name: 'goldmaster probe',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await verify(client, target)
    return url
  } finally {
    void client.end().catch(() => {})
  }
}

async function verify(client: pg.Client, target: Target) {
  if (target === 'any') return
  const { rows } = await client.query<{ standby: boolean; read_only: boolean }>({
    text: `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only`,
    query_timeout: TIMEOUT_MS,
  } as pg.QueryConfig)
  if (rows[0]!.standby) throw unreachable('is a standby')
  if (target === 'read-write' && rows[0]!.read_only) throw unreachable('is read-only')
}

/** The SQLSTATE for a connection that could not be established. */
const UNSUITABLE = '08001'
const unreachable = (message: string) => Object.assign(new Error(message), { code: UNSUITABLE })
