import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sql } from '../db/database.ts'
import type { DemoAccess } from '../demo/load.ts'
import { isFirstRun } from '../domain/sign-in/sign-ups.ts'
import type { Service } from '../http/service.ts'
import type { Settings } from './environment.ts'

type Welcomed = Pick<Service, 'db' | 'vault' | 'log' | 'site' | 'setUpToken'>

/** The output for a person who just started the service; an empty database gets the demo studio first if enabled. Returns the access to a demo that was loaded now. */
export async function welcome(settings: Settings, service: Welcomed) {
  const access = settings.demo ? await demoOnce(service) : undefined
  // Programs read the log from standard output, one JSON object per line.
  const say = process.stdout.isTTY ? console.log : console.error
  if (access) say(tour(settings, service.site, access))
  else say((await isFirstRun(service.db)) ? empty(settings, service) : again(settings, service.site, await ownerOf(service)))
  return access
}

/** The first pages are open by then. */
const GALLERY_DELAY_MS = 3_000

/** Pictures of the demo's assets, made while the service is already in use. */
export function startGallery({ db, quotas, log }: Pick<Service, 'db' | 'quotas' | 'log'>, signal: AbortSignal) {
  const make = async () => {
    await sleep(GALLERY_DELAY_MS, undefined, { signal, ref: false })
    const { hangGallery } = await import('../demo/gallery/gallery.ts')
    await hangGallery(db, { quotas, signal })
  }
  make().catch((error) => signal.aborted || log.warn({ err: error }, 'could not make all pictures of the demo'))
}

const LOCK = 5_207_116

/** Only if the database is empty. A demo that cannot be loaded must not stop the service. */
async function demoOnce({ db: pool, vault, log }: Welcomed): Promise<DemoAccess | undefined> {
  const load = async (db: Database) => {
    await db.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    // One of two first starts loads it; the other waits and finds it.
    await db.execute(sql`select pg_advisory_xact_lock(${LOCK})`)
    if (await db.one(sql`select 1 from accounts limit 1`)) return undefined
    const { loadDemo } = await import('../demo/load.ts')
    return loadDemo(pool, vault, new Date())
  }
  return pool.transaction(load, { statementTimeout: 0 }).catch((error) => {
    log.error({ err: error }, 'could not load the demo studio')
    return undefined
  })
}

/** An owner: most likely the person who reads this. */
const ownerOf = async ({ db }: Welcomed): Promise<string> =>
  (await db.one<{ email: string }>(sql`select email from users order by operator desc, id limit 1`))!.email

/** How the commands are called, depending on how the service was started. */
const PROGRAM = { start: 'npm run --silent goldmaster --', npx: 'npx goldmaster' }
const program = PROGRAM[process.env.npm_lifecycle_event as keyof typeof PROGRAM] ?? 'goldmaster'

const dataOf = ({ databaseUrl, dataDir }: Settings) =>
  databaseUrl === undefined ? resolve(dataDir) : 'the database that DATABASE_URL names'

const again = (settings: Settings, site: string, owner: string) => `
Goldmaster runs at ${site}.

  Web app        ${site}/sign-in
  API reference  ${site}/api/docs
  Data           ${dataOf(settings)}
  Locked out?    ${program} admin user set-password ${owner}
                 ${program} admin token add --user ${owner} --name mine --scopes all
                 Run it in this folder, with the same settings.
`

const empty = (settings: Settings, { site, setUpToken }: Welcomed) => `
Goldmaster runs at ${site} and is empty.

  Start here     ${site}/welcome#set-up=${setUpToken}
                 Creates the owner account. Keep this link private.
  API reference  ${site}/api/docs
  Data           ${dataOf(settings)}
  Commands       ${program} admin --help   (accounts, users, tokens, integrations, imports)
`

const tour = (settings: Settings, site: string, { email, password, token, projectId, jenkinsPath }: DemoAccess) => `
Goldmaster runs at ${site} with a demo studio: three games, six weeks of work.

  Web app        ${site}/sign-in
  Email          ${email}
  Password       ${password}   (shown only once)
  API token      ${token}   (shown only once; all scopes except administration)
  API reference  ${site}/api/docs
  Data           ${dataOf(settings)}

Press Ctrl+C to stop. Your data is kept for the next start.

List failed builds:

  curl -H "Authorization: Bearer ${token}" "${site}/api/v1/projects/${projectId}/build_runs?status=failed&limit=5"

Report a build, as a Jenkinsfile would:

  curl -d '{"job_name":"night","build_number":1,"status":"FAILURE","log":"Combat.cpp(5): error C2065: undeclared identifier"}' \\
    -H "Content-Type: application/json" "${site}${jenkinsPath}"

To start without the demo, set DEMO=off and use an empty data folder (DATA_DIR).
`
