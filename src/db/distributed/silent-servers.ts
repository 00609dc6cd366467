import pg from 'pg'
import { addressOf } from '../hosts.ts'

/** A server that has not answered after this time counts as silent. */
const ANSWER_MS = 4_000
/** How often the service checks whether a silent server responds again. */
const AGAIN_MS = 2_000

/** A server of a cluster, by its number. */
type Group = number

/**
 * Servers of a cluster that are there but do not answer. A statement for one holds its connection until its timeout, and soon none would be
 * left for the accounts on other servers. So after a timeout the service checks that server alone, and while it does not respond,
 * statements for its accounts are refused at once. A slow statement alone makes no server silent.
 */
export class SilentServers {
  readonly #url: string
  readonly #onSilence: (server: string) => void
  readonly #silent = new Set<Group>()
  readonly #asked = new Set<Group>()
  /** Those that are checked again in a moment, each once however many statements it left unanswered. */
  readonly #awaited = new Set<Group>()
  /** Where accounts are; forgotten once no server is silent. */
  readonly #places = new Map<number, Group>()

  constructor(url: string, onSilence: (server: string) => void) {
    this.#url = url
    this.#onSilence = onSilence
  }

  get groups(): Group[] {
    return [...this.#silent]
  }

  /** Throws if the server of the account is silent. */
  async refuse(account: number | undefined): Promise<void> {
    if (this.#silent.size === 0 || account === undefined) return
    if (!this.#silent.has(await this.#groupOf(account))) return
    throw Object.assign(new Error('The server that stores this account does not respond.'), { code: '08006' })
  }

  /** After a statement that was not answered in time. Without an account, it was for all servers. */
  async suspect(account: number | undefined): Promise<void> {
    try {
      const groups = account === undefined ? await this.#all() : [await this.#groupOf(account)]
      await Promise.all(groups.map((group) => this.#check(group)))
    } catch {
      // Not even the coordinator answers.
    }
  }

  async #check(group: Group): Promise<void> {
    if (this.#asked.has(group)) return
    this.#asked.add(group)
    const answers = await this.#answers(group).finally(() => this.#asked.delete(group))
    if (answers === this.#silent.has(group)) {
      if (answers) this.#silent.delete(group)
      else this.#silent.add(group)
      if (this.#silent.size === 0) this.#places.clear()
      if (!answers) this.#onSilence(await this.#nameOf(group))
    }
    if (!answers) this.#checkAgain(group)
  }

  #checkAgain(group: Group) {
    if (this.#awaited.has(group)) return
    this.#awaited.add(group)
    const check = () => {
      this.#awaited.delete(group)
      void this.#check(group).catch(() => {})
    }
    setTimeout(check, AGAIN_MS).unref()
  }

  #answers = (group: Group): Promise<boolean> =>
    this.#ask<{ answers: boolean }>(
      `select bool_and(citus_check_connection_to_node(nodename, nodeport)) as answers from pg_dist_node where groupid = $1 and noderole = 'primary'`,
      [group],
    ).then(
      ([row]) => row!.answers !== false,
      () => false,
    )

  #nameOf = async (group: Group): Promise<string> => {
    const text = `select concat(nodename, ':', nodeport) as name from pg_dist_node where groupid = $1 and noderole = 'primary'`
    const rows = await this.#ask<{ name: string }>(text, [group]).catch(() => [])
    return rows[0]?.name ?? String(group)
  }

  async #groupOf(account: number): Promise<Group> {
    const known = this.#places.get(account)
    if (known !== undefined) return known
    const [row] = await this.#ask<{ groupid: Group }>(
      `select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('outbox', $1::integer)`,
      [account],
    )
    this.#places.set(account, row!.groupid)
    return row!.groupid
  }

  #all = async (): Promise<Group[]> =>
    (
      await this.#ask<{ groupid: Group }>(`select groupid from pg_dist_node where shouldhaveshards and noderole = 'primary'`, [])
    ).map(({ groupid }) => groupid)

  /** On a connection of its own: those of the pool may all be waiting. */
  async #ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const client = new pg.Client({
      ...(addressOf(this.#url) as pg.ClientConfig),
      connectionTimeoutMillis: ANSWER_MS,
      statement_timeout: ANSWER_MS,
      query_timeout: 2 * ANSWER_MS,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Row>(text, values)).rows
    } finally {
      void client.end().catch(() => {})
    }
  }
}
