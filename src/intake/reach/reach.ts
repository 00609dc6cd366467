import { cannotAct } from '../../contract/errors.ts'
import { PLACE_MAX } from '../../contract/limits.ts'
import type { Database } from '../../db/database.ts'
import { openConfig } from '../../domain/integrations/config.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import type { BuildSubject } from '../../domain/integrations/job-subjects.ts'
import * as store from '../../domain/integrations/places.ts'
import type { Fact } from '../facts.ts'
import type { JobContext } from '../job-context.ts'
import type { Located, Places } from '../provider.ts'
import { Refused } from '../providers/ci-replies.ts'
import { providers } from '../providers/index.ts'
import { OWNERS } from '../providers/owners.ts'
import type { Json } from '../reading.ts'

/** What a stored credential may be used for. Every request to a tool's server gets its settings here, and nowhere else. */

/** The settings themselves name what is asked for: the users of a server, an import, the polling of streams. */
export const BY_SETTINGS = 'by settings'

/** A record of the integration, and who asks for it if somebody does. */
export interface Wanted extends Located {
  /** The id of a build, changelist or shelf at the tool: of some tools only the server knows where it is. */
  external_id?: string | null | undefined
  /** Somebody asks the CI to do something: what no signed report named takes a lead. */
  isLead?: boolean
}

/** A build as its report has it. */
export const locationOf = ({ ci_job_name, url, external_id }: BuildSubject) => ({ job: ci_job_name, url, external_id })

/** What is asked for is on no list: nothing was sent. It is no fault of the server or the settings. */
export class NotListed extends Refused {}

type Integration = Pick<IntegrationContext, 'account_id' | 'integration_id' | 'provider' | 'config'>
type Outside = Pick<JobContext, 'db' | 'vault' | 'allowed'> & { signal?: AbortSignal | undefined }

/** The opened settings of an integration, for a record that its list covers. Throws `NotListed` for any other. */
export async function reach(outside: Outside, integration: Integration, wanted: Wanted | typeof BY_SETTINGS): Promise<Json> {
  const config = openConfig(outside.vault, integration)
  const { places } = providers[integration.provider]
  if (places === undefined || wanted === BY_SETTINGS) return config
  const list = await listOf(outside.db, integration)
  const said = places.of(wanted, config)
  const owner = said === undefined || wanted.external_id !== undefined ? OWNERS[integration.provider] : undefined
  if (said !== undefined || owner === undefined) await requireListed(outside.db, integration, list, said)
  // What a report says of an id is no proof: the server knows.
  const isAsked = owner !== undefined && (!list.every_place || wanted.isLead === false)
  const where = isAsked ? await owner(config, wanted.external_id ?? '', outside) : said === undefined ? [] : [said]
  if (isAsked && !list.every_place && (where.length === 0 || !where.every(list.isNamed)))
    throw new NotListed(`The server has this elsewhere, or not at all: this integration may not use it.`)
  if (wanted.isLead === false) for (const place of where) requireKnown(list, places, place)
  return config
}

/** Without opening the settings: whether a job may be started later. */
export async function requireReach(db: Database, integration: Integration, wanted: Wanted) {
  const { places } = providers[integration.provider]
  if (places === undefined) return
  const list = await listOf(db, integration)
  const place = places.of(wanted, integration.config)
  await requireListed(db, integration, list, place)
  if (wanted.isLead === false && place !== undefined) requireKnown(list, places, place)
}

/**
 * Whether requests would be sent, for buttons: nothing is kept, and no server is asked. Where only the server knows whose an id is, it is
 * enough that the list has any entry.
 */
export async function reachableBy(db: Database, integration: Integration): Promise<(wanted: Wanted) => boolean> {
  const { places } = providers[integration.provider]
  if (places === undefined) return () => true
  const list = await listOf(db, integration)
  const isAsked = OWNERS[integration.provider] !== undefined && list.entries.length > 0
  return (wanted) => {
    const place = places.of(wanted, integration.config)
    if (place === undefined) return list.every_place || isAsked
    return isListed(list, place) && (wanted.isLead !== false || isKnown(list, place))
  }
}

interface List {
  every_place: boolean
  /** Whether the settings or a lead name it. */
  isNamed(place: string): boolean
  /** Whether a signed report named it. */
  isSigned(place: string): boolean
  /** Names and patterns of the settings and of leads. */
  entries: string[]
}

const isListed = (list: List, place: string) => !hasDots(place) && (list.every_place || list.isNamed(place))
const isKnown = (list: List, place: string) => list.isNamed(place) || list.isSigned(place)

/** What the credential of an integration reaches, as the settings and leads say now. */
export async function listOf(db: Database, { account_id, integration_id, provider, config }: Integration): Promise<List> {
  const { places } = providers[provider]
  const { every_place, listed } = await store.find(db, { account_id, id: integration_id })
  const entries = [
    ...(places?.inSettings?.(config) ?? []),
    ...listed.filter(({ confirmed }) => confirmed).map(({ place }) => place),
  ]
  const covers = places?.covers ?? isSameOrBelow
  return {
    every_place,
    entries,
    isNamed: (place) => !hasDots(place) && entries.some((entry) => covers(entry, place)),
    isSigned: (place) => listed.some((one) => one.signed && one.place === place),
  }
}

/** Whether the list covers a record, for what is read of several at once. */
export const coveredBy = async (db: Database, integration: Integration): Promise<(located: Located) => boolean> => {
  const list = await listOf(db, integration)
  return list.every_place ? () => true : namedIn(list, integration)
}

/** The same, but where all are allowed and some are named, only those: of no other one did anybody say that it is ours. */
export const ownBy = async (db: Database, integration: Integration): Promise<(located: Located) => boolean> => {
  const list = await listOf(db, integration)
  return list.every_place && list.entries.length === 0 ? () => true : namedIn(list, integration)
}

const namedIn =
  (list: List, { provider, config }: Integration) =>
  (located: Located) => {
    const { places } = providers[provider]
    if (places === undefined) return true
    const place = places.of(located, config)
    return place !== undefined && list.isNamed(place)
  }

/**
 * Whether a refusal is about our permissions: at a place that the settings or a lead name. Where every place is allowed, anybody with the webhook
 * token can name one that is not ours; only a refused login is about us there.
 */
export async function isOurRefusal(
  db: Database,
  integration: Integration,
  located: Located,
  { status }: Refused,
): Promise<boolean> {
  const { places } = providers[integration.provider]
  if (places === undefined || status === 401) return true
  const list = await listOf(db, integration)
  // Nothing else was asked for.
  if (!list.every_place) return true
  return namedIn(list, integration)(located)
}

/** `Game` itself, or what is below `Game/*`. */
const isSameOrBelow = (entry: string, place: string) =>
  entry === place || (entry.endsWith('/*') && place.startsWith(entry.slice(0, -1)))

/** Names that a server would read as another one. */
const hasDots = (place: string) => place.split('/').some((part) => part === '.' || part === '..')

async function requireListed(db: Database, integration: Integration, list: List, place: string | undefined) {
  if (place !== undefined && isListed(list, place)) return
  // With every place, what has no name is refused by whoever asks for it.
  if (place === undefined && list.every_place) return
  const { places, label } = providers[integration.provider]
  if (place === undefined || hasDots(place))
    throw new NotListed(`This is not on the ${label} server in the integration settings.`)
  await note(db, integration, [place], false)
  throw new NotListed(
    `This integration may not use ${place}. A lead of the project can confirm it under Integrations → ${label} → Allowed ${places!.noun}.`,
  )
}

function requireKnown(list: List, { noun }: Places, place: string) {
  if (isKnown(list, place)) return
  throw cannotAct(
    `No signed report has named ${place}, so only a lead of the project can do this. A lead can also confirm it once, under Allowed ${noun} of the integration.`,
  )
}

/** Keeps what reports name and nobody has confirmed yet. */
export async function noteReported(
  db: Database,
  integration: Integration & Pick<IntegrationContext, 'signed'>,
  facts: readonly Fact[],
) {
  const { places } = providers[integration.provider]
  if (places === undefined || !integration.config.server) return
  const named = new Set(facts.flatMap(locatedIn).flatMap((located) => places.of(located, integration.config) ?? []))
  if (named.size === 0) return
  const list = await listOf(db, integration)
  await note(
    db,
    integration,
    [...named].filter((place) => !hasDots(place) && !list.isNamed(place)),
    integration.signed === true,
  )
}

async function note(
  db: Database,
  { account_id, integration_id, provider }: Integration,
  named: readonly string[],
  signed: boolean,
) {
  const { outline = (place: string) => place } = providers[provider].places!
  const places = [...new Set(named.filter((place) => place.length <= PLACE_MAX).map(outline))]
  if (places.length > 0) await store.note(db, { account_id, id: integration_id }, places, signed)
}

/** Of a long change, the first files: they show where it is. */
const FILES_MAX = 100

function locatedIn(fact: Fact): Located[] {
  switch (fact.kind) {
    case 'build':
      return [{ job: fact.build.job, url: fact.url }]
    case 'change':
      return [{ url: fact.url }, ...(fact.files ?? []).slice(0, FILES_MAX).map(({ path }) => ({ path }))]
    case 'reference':
      return [{ url: fact.url, issue: fact.key }]
    default:
      return []
  }
}
