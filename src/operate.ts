import { Command } from 'commander'

/** The commands that run beside the database; each is loaded when asked for, so that the rest starts fast. */
const settings = async () => (await import('./environment.ts')).readEnvironment(process.env)

const serve = () =>
  new Command('serve')
    .description('run the service (HTTP and jobs); settings come from the environment, see docs/configuration.md')
    .addHelpText('after', '\nExamples:\n  goldmaster serve\n  PORT=9000 DATA_DIR=/var/lib/goldmaster goldmaster serve')
    .action(async () => (await import('./serve.ts')).serve(await settings()))

const work = () =>
  new Command('work')
    .description('run jobs only, beside other nodes that serve')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… SECRET_KEY=… goldmaster work')
    .action(async () => (await import('./serve.ts')).work(await settings()))

const migrate = () =>
  new Command('migrate')
    .description('bring the database to this version and stop')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… goldmaster migrate')
    .action(async () => {
      const { openLog, openStore } = await import('./service.ts')
      const read = await settings()
      await (await openStore(read, openLog(read))).close()
      console.log('The database is up to date.')
    })

const admin = async () => {
  const { adminCommand } = await import('./admin/main.ts')
  return adminCommand(async () => {
    const { openLog, openStore } = await import('./service.ts')
    const { Vault } = await import('./domain/secrets.ts')
    const read = await settings()
    const store = await openStore(read, openLog({ ...read, logLevel: 'warn' }))
    return { db: store.db, vault: new Vault(store.secret), site: read.site, close: store.close }
  })
}

export const operatorCommands = { serve, work, migrate, admin }
