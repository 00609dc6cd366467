import { resolve } from 'node:path'
import { sql } from './db/database.ts'
import type { DemoAccess } from './demo/load.ts'
import { isFirstRun } from './domain/access/sign-ups.ts'
import type { Settings } from './environment.ts'
import type { Service } from './http/service.ts'

/** What a person who just started the service wants to know; an empty database gets the demo studio first where that is wanted. */
export async function welcome(settings: Settings, service: Service) {
  const access = settings.demo ? await demoOnce(service) : undefined
  console.log(
    access
      ? tour(settings, service.site, access)
      : (await isFirstRun(service.db))
        ? empty(settings, service)
        : again(settings, service.site),
  )
}

/** Only where there is nothing yet. A demo that cannot be loaded is no reason to stop serving. */
async function demoOnce({ db, vault, log }: Service): Promise<DemoAccess | undefined> {
  if (await db.one(sql`select 1 from accounts limit 1`)) return undefined
  try {
    const { loadDemo } = await import('./demo/load.ts')
    return await loadDemo(db, vault, new Date())
  } catch (error) {
    log.error({ err: error }, 'the demo studio could not be loaded')
    return undefined
  }
}

const dataOf = ({ databaseUrl, dataDir }: Settings) =>
  databaseUrl === undefined ? resolve(dataDir) : 'the database that DATABASE_URL names'

const again = (settings: Settings, site: string) =>
  `Goldmaster runs at ${site} (API reference: ${site}/api/docs, data: ${dataOf(settings)})`

const empty = (settings: Settings, { site, setUpToken }: Service) => `
Goldmaster runs at ${site} and is empty.

  Begin          ${site}/welcome#set-up=${setUpToken}
                 leads to the account that owns it; only who has this link can make it
  API reference  ${site}/api/docs
  Data           ${dataOf(settings)}
  Commands       goldmaster admin --help   (accounts, users, tokens, integrations; or load a whole world from a file)
`

const tour = (settings: Settings, site: string, { email, password, token, projectId, jenkinsPath }: DemoAccess) => `
Goldmaster runs at ${site}. A demo studio has just moved in: three games, six weeks of work.

  API reference  ${site}/api/docs
  Data           ${dataOf(settings)}
  Web app        ${site}/sign-in
  Sign-in        ${email} / ${password}   (shown only now)
  API token      ${token}   (every scope; shown only now)

What broke lately:

  curl -H "Authorization: Bearer ${token}" "${site}/api/v1/projects/${projectId}/build_runs?status=failed&limit=5"

Report a build of your own, as a Jenkinsfile would:

  curl -d '{"job_name":"night","build_number":1,"status":"FAILURE","log":"Combat.cpp(5): error C2065: undeclared identifier"}' \\
    -H "Content-Type: application/json" "${site}${jenkinsPath}"

Start with DEMO=off and an empty data folder to work with your own games only.
`
