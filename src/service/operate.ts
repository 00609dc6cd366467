import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { SUMMARIES } from '../cli/summaries.ts'
import type { Settings } from './environment.ts'

/** The commands that use the database; each is loaded on demand, so that the rest starts fast. */
const settings = async () => (await import('./environment.ts')).readEnvironment(process.env)

/** A worker process that failed to start has nothing to wait for: its channel to the first process would keep it alive. */
const leave = (error: unknown) => {
  cluster.worker?.disconnect()
  throw error
}

const serve = () =>
  new Command('serve')
    .description(SUMMARIES.serve)
    .addHelpText(
      'after',
      '\nSettings come from environment variables; docs/configuration.md lists them.\n\nExamples:\n  goldmaster serve\n  WORKERS=auto goldmaster serve\n  PORT=9000 DATA_DIR=/var/lib/goldmaster goldmaster serve',
    )
    .action(async () => (await import('./serve.ts')).serve(await settings()).catch(leave))

const work = () =>
  new Command('work')
    .description(SUMMARIES.work)
    .addHelpText('after', '\nExamples:\n  DATABASE_URL=postgres://… SECRET_KEY=… HEALTH_PORT=8081 goldmaster work')
    .action(async () => (await import('./serve.ts')).work(await settings()).catch(leave))

const migrate = () =>
  new Command('migrate')
    .description(SUMMARIES.migrate)
    .addHelpText('after', '\nExamples:\n  DATABASE_URL=postgres://… goldmaster migrate')
    .action(async () => {
      const { openLog, openSchema } = await import('./service.ts')
      const read = await settings()
      await (await openSchema(read, openLog(read))).stop()
      console.log('The database is up to date.')
    })

const admin = async () => {
  const { adminCommand } = await import('../admin/main.ts')
  const command = adminCommand({
    async store(makes) {
      const { openLog, openStore } = await import('./service.ts')
      const { siteOf } = await import('./recorded-site.ts')
      const read = await settings()
      if (!makes) refuseElsewhere(read)
      const store = await openStore(read, openLog({ ...read, logLevel: 'warn' }), { onlyIfCurrent: true })
      if (store.fresh) console.error(begun(read.databaseUrl === undefined ? resolve(read.dataDir) : undefined))
      const { metering, quotas, retention } = read
      return { db: store.db, vault: store.vault, site: siteOf(read), metering, quotas, retention, close: store.close }
    },
    async rawDatabase(makes) {
      const { openLog, openDatabaseServer, secretFile } = await import('./service.ts')
      const read = await settings()
      if (!makes) refuseElsewhere(read)
      const { url, stop } = await openDatabaseServer(read)
      const { folderFiles } = await import('../domain/files/file-store.ts')
      const files = read.objectStore ? undefined : folderFiles(read.filesDir)
      const log = openLog({ ...read, logLevel: 'warn' })
      return { url, secretKey: read.secretKey, keptSecret: secretFile(read.dataDir), files, log, close: stop }
    },
    async storedBackups(prefix) {
      const { openObjectStore } = await import('../net/object-store.ts')
      const { storePlace } = await import('../jobs/backups/place.ts')
      const { objectStore } = await settings()
      if (objectStore === undefined)
        throw new Error('OBJECT_STORE_URL is not set: set it as for the service that made the backups.')
      return storePlace(`object-store:${prefix}`, prefix, openObjectStore(objectStore))
    },
  })
  return command.description(SUMMARIES.admin)
}

/** A command in the wrong folder should not create a studio there. */
function refuseElsewhere({ databaseUrl, dataDir }: Settings) {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'postgres')))
    throw new Error(
      `No Goldmaster data in ${resolve(dataDir)}. Run this in the folder where you started the service, or set its DATA_DIR or DATABASE_URL.`,
    )
}

const begun = (folder: string | undefined) =>
  folder === undefined
    ? 'The database at DATABASE_URL was empty: created the schema.'
    : `Created a new database in ${folder}. To use another one, set DATA_DIR or DATABASE_URL.`

export const operatorCommands = { serve, work, migrate, admin }
