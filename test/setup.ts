import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { buildProgram, buildWeb, PROGRAM, WEB } from './support/built.ts'
import { needBuild } from './support/chosen-files.ts'
import { CITUS_PREFIX, startClusterWith } from './support/servers/cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    server: string
    /** How a database is cloned from the migrated one. */
    clone: string
    /** With CITUS_PREFIX the coordinator and its workers: databases are then cloned on all of them. */
    servers: string[]
  }
}

const TEMPLATE = `goldmaster_template_${process.pid}`

/** One migrated database for all: the built-in PostgreSQL, or the server in DATABASE_URL. Test files clone it. */
export default async function setup({ provide }: TestProject) {
  const need = needBuild()
  if (need.web || !existsSync(WEB)) buildWeb()
  if (need.program || !existsSync(PROGRAM)) await buildProgram()
  if (CITUS_PREFIX) return setUpCluster(provide)
  const given = process.env.DATABASE_URL
  const folder = given ? undefined : await mkdtemp(join(tmpdir(), 'goldmaster-test-'))
  const embedded = folder ? await startEmbedded(folder) : undefined
  const server = given ?? embedded!.url
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  if (embedded) await stopWaitingForDisk(run)
  await run(`create database ${TEMPLATE}`)
  await migrate(withDatabase(server, TEMPLATE))
  provide('server', server)
  provide('servers', [server])
  // Copying files is faster than logging their pages, if the checkpoints around it do not wait for the disk.
  provide('clone', `template ${TEMPLATE} ${embedded ? 'strategy file_copy' : ''}`)
  return async () => {
    if (embedded) await embedded.stop()
    else await run(`drop database if exists ${TEMPLATE} with (force)`)
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

/** The same tests with the tables distributed over several servers. */
async function setUpCluster(provide: TestProject['provide']) {
  const cluster = await startClusterWith(TEMPLATE)
  provide('server', cluster.servers[0]!)
  provide('servers', cluster.servers)
  provide('clone', `template ${TEMPLATE} strategy file_copy`)
  return cluster.stop
}

/** This server is discarded after the run. Dropping a database next to others that were just written waits longest. */
async function stopWaitingForDisk(run: (text: string) => Promise<void>) {
  for (const setting of ['fsync', 'full_page_writes']) await run(`alter system set ${setting} = off`)
  await run('select pg_reload_conf()')
}

/** The same server, another database; `URL` cannot parse socket addresses. */
export const withDatabase = (url: string, name: string): string => url.replace(/^(\w+:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
