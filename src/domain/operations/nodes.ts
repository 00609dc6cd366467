import { type Database, sql } from '../../db/database.ts'

/** How often a process sends a heartbeat, and after how long without one it needs attention. */
export const REPORT_EVERY_MS = 30_000
const VANISHED = sql`interval '2 minutes'`

/** A process of the service as it reports itself. */
export interface NodeProcess {
  id: string
  host: string
  role: 'serve' | 'work'
  version: string
  /** Whether it has a mail server and a backup destination. */
  mails: boolean
  backs_up: boolean
  /** The id of the folder with its files; null with an object store. */
  files_folder?: string | null
}

/** A machine or container, with all processes of the service on it. */
export interface Node {
  host: string
  processes: number
  roles: string[]
  versions: string[]
  mails: boolean
  backs_up: boolean
  silent_servers: string[]
  started_at: string
  seen_at: string
  /** Ended without signing off, or cut off from the database. */
  vanished: boolean
}

/** Sends a heartbeat. Removes the rows of killed processes on the same machine, now that it is back. */
export const reportNode = (db: Database, node: NodeProcess, silentServers: readonly string[]) =>
  db.execute(sql`
    with killed as (delete from nodes where host = ${node.host} and id <> ${node.id}::uuid and seen_at < now() - ${VANISHED})
    insert into nodes (id, host, role, version, mails, backs_up, files_folder, silent_servers)
    values (${node.id}, ${node.host}, ${node.role}, ${node.version}, ${node.mails}, ${node.backs_up}, ${node.files_folder ?? null}, ${[...silentServers]}::text[])
    on conflict (id) do update set seen_at = now(), silent_servers = excluded.silent_servers`)

/** A running process with another folder for files. */
export const findOtherFolder = (db: Database, folder: string): Promise<{ host: string } | undefined> =>
  db.one(sql`select host from nodes where files_folder <> ${folder} and seen_at > now() - ${VANISHED} order by host limit 1`)

/** Stopped on purpose. */
export const removeNode = (db: Database, id: string) => db.execute(sql`delete from nodes where id = ${id}`)

export const listNodes = (db: Database): Promise<Node[]> =>
  db.rows<Node>(sql`
    select host, count(distinct n.id) as processes, array_agg(distinct role order by role) as roles,
      array_agg(distinct version order by version) as versions, bool_or(mails) as mails, bool_or(backs_up) as backs_up,
      coalesce(array_agg(distinct s.server order by s.server) filter (where s.server is not null), '{}') as silent_servers,
      min(started_at) as started_at, max(seen_at) as seen_at, max(seen_at) < now() - ${VANISHED} as vanished
    from nodes n left join lateral unnest(silent_servers) s (server) on true
    group by host order by host`)
