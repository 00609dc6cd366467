import type { AppReply } from '../../contract/app/routes.ts'
import { cannotImport } from '../../contract/errors.ts'
import type { ImportPart } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { eachRow } from '../../domain/accounts/isolation.ts'
import { asking, type IntegrationContext } from '../../domain/integrations/context.ts'
import * as imports from '../../domain/integrations/imports.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import { withServer } from '../../domain/integrations/polled.ts'
import { OverBudget } from '../../net/budget.ts'
import { Unreachable } from '../../net/safe-fetch.ts'
import type { JobContext } from '../job-context.ts'
import { providers } from '../providers/index.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { BY_SETTINGS, reach } from '../reach/reach.ts'
import { ask, jobsFor, Limited, Missing, readAbout, type Send } from './ask.ts'
import type { Asked, HistoryPart } from './history.ts'

export const DAY_MS = 86_400_000
/** How long a page of 100 takes, as measured, and how many requests an hour GitHub allows for the files of changes. */
const PAGE = 100
const PAGE_S = 1.5

type Preview = AppReply<'previewImport'>
type Outside = Omit<JobContext, 'log'>

/** Why there is nothing to import. */
const refusalOf = (integration: IntegrationContext | undefined): string | undefined => {
  if (!integration) return 'The integration is disabled.'
  const { history, label, server } = providers[integration.provider]
  if (!history) return `${label} can't be asked for its history.`
  if (!integration.config.server) return 'Enter the server and an access token under Server access first.'
  const missing = history.settings?.find((key) => !integration.config[key])
  const field = server?.fields.find(({ key }) => key === missing)
  return field && `Enter "${field.label}" under Server access first.`
}

const NO_JOBS =
  'No build was reported yet of a job that this integration may use. The first one shows which jobs belong to this project; a lead confirms them.'

/** How much there is to import, and whether the access token may read it. */
export async function previewImport({ db, vault, allowed }: Outside, key: RecordKey, days: number): Promise<Preview> {
  const integration = await subjects.integration(db, key)
  const problem = refusalOf(integration)
  if (problem !== undefined) return { days, parts: [], minutes: null, problem }
  const provider = providers[integration!.provider]
  const config = await reach({ db, vault, allowed }, integration!, BY_SETTINGS)
  const send: Send = (request) =>
    ask({ ...provider, transport: abilitiesOf(provider.name).transport }, request, { config, allowed })
  const { parts } = provider.history!
  try {
    if (!(await hasJobs(db, integration!))) return { days, parts: [], minutes: null, problem: NO_JOBS }
    const jobs = await jobsFor(db, provider, integration!)
    const about = await readAbout(provider, { config, jobs }, send)
    const counted: Preview['parts'] = []
    for (const part of parts) counted.push(await counting(part, { ...sinceDays(days), cursor: {}, config, about, jobs }, send))
    return { days, parts: counted, minutes: minutesOf(counted), problem: null }
  } catch (error) {
    return { days, parts: [], minutes: null, problem: wordsOf(error) }
  }
}

const sinceDays = (days: number) => ({
  since: new Date(Date.now() - days * DAY_MS).toISOString(),
  until: new Date().toISOString(),
})

async function counting(
  { name, needs, count, page, read, ofChanges, ofJobs }: HistoryPart,
  asked: Asked,
  send: Send,
): Promise<Preview['parts'][number]> {
  if (ofChanges) return { name, needs, count: null, problem: null }
  try {
    const reply = await send(count ? count.request(asked) : page(asked))
    // Without a count the first page is read: some servers put a refusal into it.
    if (!count) read(reply, asked)
    return { name, needs, count: count?.read(reply) ?? null, problem: null }
  } catch (error) {
    // A job that was renamed or deleted is skipped.
    return { name, needs, count: null, problem: ofJobs && error instanceof Missing ? null : wordsOf(error) }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Limited || error instanceof Unreachable || error instanceof OverBudget) return error.message
  throw error
}

/** Too few to count. */
const FEW: readonly ImportPart[] = ['deployments', 'releases']

/** Null if a tool doesn't tell how many there are. */
function minutesOf(parts: Preview['parts']): number | null {
  const counted = parts.filter(({ name }) => !FEW.includes(name) && name !== 'files')
  if (counted.some(({ count }) => count === null)) return null
  return Math.max(1, Math.ceil((counted.reduce((sum, { count }) => sum + Math.ceil(count! / PAGE), 0) * PAGE_S) / 60))
}

/** Starts an import of the last days. What the tool says about their number is asked first; that also checks the token. */
export async function startImport(outside: Outside, key: RecordKey, { days, by }: { days: number; by: number | null }) {
  const { parts, problem } = await previewImport(outside, key, days)
  // What the token may not read is left out.
  const asked = parts.filter(({ name }) => name !== 'files')
  const refused = problem ?? (asked.every((part) => part.problem !== null) ? asked[0]?.problem : undefined)
  if (refused) throw cannotImport(refused)
  const integration = (await subjects.integration(outside.db, key))!
  const expected = Object.fromEntries(parts.flatMap(({ name, count }) => (count === null ? [] : [[name, count]])))
  return begin(outside.db, integration, { since: new Date(Date.now() - days * DAY_MS), expected, by })
}

/** The same for an operator, whose command can't ask the server: an import that the token may not read fails with the reason. */
export async function startUnseen(db: Database, key: RecordKey, days: number) {
  const integration = await subjects.integration(db, key)
  const refused = refusalOf(integration)
  if (refused !== undefined) throw cannotImport(refused)
  if (!(await hasJobs(db, integration!))) throw cannotImport(NO_JOBS)
  return begin(db, integration!, { since: new Date(Date.now() - days * DAY_MS) })
}

/** Or needs none. */
async function hasJobs(db: Database, integration: IntegrationContext) {
  const provider = providers[integration.provider]
  return !provider.history!.parts.some(({ ofJobs }) => ofJobs) || (await jobsFor(db, provider, integration)).length > 0
}

const begin = (
  db: Database,
  integration: IntegrationContext,
  more: { since: Date; expected?: object; by?: number | null; nightly?: boolean },
) => {
  const { project_id, integration_id } = integration
  const part = providers[integration.provider].history!.parts[0]!.name
  return imports.start(db, { ...asking(integration), project_id, integration_id, part, ...more })
}

/** How far a nightly check goes back: a weekend without a worker is covered. */
const NIGHTLY_DAYS = 3

/** Looks for what tools reported while no delivery came through, of all integrations with a server. */
export async function startNightlyLooks(db: Database) {
  for (const { name, history } of Object.values(providers)) {
    if (!history) continue
    await eachRow(db, 'look_for_gaps', await withServer(db, name), async (integration) => {
      if (refusalOf(integration) !== undefined || !(await hasJobs(db, integration))) return
      const since = new Date(Date.now() - NIGHTLY_DAYS * DAY_MS)
      await begin(db, integration, { since, nightly: true }).catch((error: unknown) => {
        // One that is running reads the same days.
        if ((error as { code?: string }).code !== 'cannot_import') throw error
      })
    })
  }
}
