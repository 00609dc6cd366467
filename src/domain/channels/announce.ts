import { CHANNEL_KINDS, type ChannelKind, DIRECT_KINDS, type RuleSubject } from '../../contract/channels.ts'
import type { FailureCategory } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { matchesBranch, matchesPattern } from '../branches/branch-names.ts'
import { keysOf, type OutboxEntry } from '../feed/outbox.ts'
import { announceBreakage } from './breakage-messages.ts'
import { announceBudget } from './budget-messages.ts'
import type { Rule } from './channels.ts'
import { announceDeployment } from './deployment-messages.ts'
import { enqueue, type NewMessage, revise } from './message-queue.ts'

/** Where an event happened, to match rules. */
interface Location {
  branch?: string | null
  jobs?: readonly string[]
  category?: FailureCategory | null
}

interface ActiveRule extends Omit<Rule, 'quiet_from' | 'quiet_until'> {
  channel_id: number
  account_id: number
  not_before: string
}

/** The end of quiet hours if they apply now, otherwise now; in the account's time zone. */
const NOT_BEFORE = sql`
  case
    when r.quiet_from is null or r.quiet_from = r.quiet_until then goldmaster_now()
    when (r.quiet_from < r.quiet_until and a.at::time >= r.quiet_from and a.at::time < r.quiet_until)
      or (r.quiet_from > r.quiet_until and (a.at::time >= r.quiet_from or a.at::time < r.quiet_until))
    then ((a.at::date + case when a.at::time < r.quiet_until then 0 else 1 end) + r.quiet_until) at time zone a.zone
    else goldmaster_now() end`
const LOCAL_TIMES = sql`
  select z.id, z.zone, goldmaster_now() at time zone z.zone as at from (select id, zone_or_utc(timezone) as zone from accounts) z`

export const activeRules = (db: Database, projectIds: readonly number[]): Promise<ActiveRule[]> =>
  db.rows(sql`
    select r.channel_id, r.account_id, r.project_id, r.subject, r.branch, r.job,
      r.category, r.hours, r.here, ${NOT_BEFORE} as not_before
    from channel_rules r join destinations c on c.account_id = r.account_id and c.id = r.channel_id
      join (${LOCAL_TIMES}) a on a.id = r.account_id
    where r.project_id = any (${projectIds}::integer[]) and c.status = 'active' order by r.channel_id, r.id`)

const matches = ({ branch, job, category }: ActiveRule, location: Location): boolean =>
  (branch === '' || (location.branch != null && matchesBranch(branch, location.branch))) &&
  (job === '' || (location.jobs ?? []).some((one) => matchesPattern(job, one))) &&
  (category === null || category === location.category)

/** One for each channel with a matching rule: sent as soon as any of its rules allows, and mentioning everybody if any of them says so. */
export function messagesFor(
  rules: readonly ActiveRule[],
  about: Pick<NewMessage, 'project_id' | 'subject_id' | 'occasion' | 'occurrence' | 'position'> & { subject: RuleSubject },
  location: Location,
): NewMessage[] {
  const matching = rules.filter(
    (rule) => rule.project_id === about.project_id && rule.subject === about.subject && matches(rule, location),
  )
  return [...new Set(matching.map(({ channel_id }) => channel_id))].map((channel_id) => {
    const rules = matching.filter((rule) => rule.channel_id === channel_id)
    return {
      ...about,
      channel_id,
      account_id: rules[0]!.account_id,
      here: rules.some(({ here }) => here),
      not_before: rules.map(({ not_before }) => not_before).sort()[0]!,
    }
  })
}

/** Queues messages in the channels whose rules match, in the order of the outbox. In the caller's transaction. */
export async function announce(db: Database, entries: readonly OutboxEntry[]) {
  const relevant = await withChannels(db, entries)
  if (relevant.length === 0) return
  const rules = await activeRules(db, [...new Set(relevant.map(({ project_id }) => project_id))])
  const breakages = await breakageLocations(db, relevant)
  const deployments = await deploymentLocations(db, relevant)
  const approvals = await approvalLocations(db, relevant)
  const budgets = await budgetLocations(db, relevant)
  const counted = new Set<string>()
  for (const entry of relevant) {
    const { account_id, project_id, row_id, event_type, position } = entry
    const subject = SUBJECTS[event_type]!
    const location = { breakage: breakages, deployment: deployments, approval: approvals, budget: budgets }[subject].get(row_id)
    if (!location) continue
    if (subject === 'breakage') {
      await announceBreakage(db, entry, (about) =>
        messagesFor(rules, { project_id, subject_id: row_id, position, ...about }, location),
      )
      continue
    }
    if (subject === 'budget') {
      await announceBudget(db, entry, messagesFor(rules, { project_id, subject, subject_id: row_id, position }, location))
      continue
    }
    if (subject === 'deployment') {
      await announceDeployment(db, entry, messagesFor(rules, { project_id, subject, subject_id: row_id, position }, location))
      continue
    }
    const subject_id = location.subject_id ?? row_id
    // A change can have a thousand assets: its message is revised once.
    const change = `${project_id} ${subject_id}`
    if (subject === 'approval' && counted.has(change)) continue
    counted.add(change)
    await revise(db, account_id, subject, [subject_id])
    // A channel gets a request even without an earlier message about the subject.
    if (event_type === 'approval.requested')
      await enqueue(db, messagesFor(rules, { project_id, subject, subject_id, position }, location))
  }
}

/** Entries of accounts that have channels. */
async function withChannels(db: Database, entries: readonly OutboxEntry[]): Promise<OutboxEntry[]> {
  const relevant = entries.filter(({ event_type }) => Object.hasOwn(SUBJECTS, event_type))
  if (relevant.length === 0) return []
  const accounts = await db.rows<{ account_id: number }>(sql`
    select distinct account_id from destinations
    where account_id = any (${[...new Set(relevant.map(({ account_id }) => account_id))]}::integer[]) and kind = any (${CHANNEL_KINDS}::text[])`)
  return relevant.filter((entry) => accounts.some(({ account_id }) => account_id === entry.account_id))
}

const SUBJECTS: Partial<Record<OutboxEntry['event_type'], 'breakage' | 'deployment' | 'approval' | 'budget'>> = {
  'breakage.opened': 'breakage',
  'breakage.claimed': 'breakage',
  'breakage.muted': 'breakage',
  'breakage.fixed': 'breakage',
  'breakage.reopened': 'breakage',
  'breakage.withdrawn': 'breakage',
  'breakage.revised': 'breakage',
  'breakage.steadied': 'breakage',
  'deployment.created': 'deployment',
  'deployment.updated': 'deployment',
  'approval.requested': 'approval',
  'approval.granted': 'approval',
  'approval.denied': 'approval',
  'approval.ignored': 'approval',
  'measure.alerted': 'budget',
}

type Located = Location & { subject_id?: string }

const locationsOf = async (rows: Promise<({ id: string } & Located)[]>): Promise<Map<string, Located>> =>
  new Map((await rows).map((row) => [row.id, row]))

const entriesAbout = (entries: readonly OutboxEntry[], subject: RuleSubject) =>
  entries.filter(({ event_type }) => SUBJECTS[event_type] === subject)

const breakageLocations = (db: Database, entries: readonly OutboxEntry[]) =>
  locationsOf(
    db.rows(sql`
    select id::text, branch, jobs, category from breakages
    where (account_id, id) in (${keysOf(entriesAbout(entries, 'breakage'), 'bigint')})`),
  )

const deploymentLocations = (db: Database, entries: readonly OutboxEntry[]) =>
  locationsOf(
    db.rows(sql`
    select id::text, branch_key(branch) as branch from deployments
    where (account_id, id) in (${keysOf(entriesAbout(entries, 'deployment'), 'uuid')})`),
  )

const budgetLocations = (db: Database, entries: readonly OutboxEntry[]) =>
  locationsOf(
    db.rows(sql`
    select id::text, branch, array[job] as jobs from measure_alerts
    where (account_id, id) in (${keysOf(entriesAbout(entries, 'budget'), 'bigint')})`),
  )

/** All approvals of one change share one message. */
const approvalLocations = (db: Database, entries: readonly OutboxEntry[]) =>
  locationsOf(
    db.rows(sql`
    select id::text, ${CHANGE_OF_APPROVAL} as subject_id from approvals a
    where (account_id, id) in (${keysOf(entriesAbout(entries, 'approval'), 'uuid')})`),
  )

/** The subject that approvals `a` share: their change, otherwise their asset. */
export const CHANGE_OF_APPROVAL = sql`coalesce(nullif(a.commit_sha, ''), a.asset_id::text)`

/** Channels whose bot can write direct messages: the first one of each account. */
export const directChannels = (
  db: Database,
  accountIds: readonly number[],
): Promise<{ account_id: number; id: number; kind: ChannelKind }[]> =>
  db.rows(sql`
    select distinct on (account_id) account_id, id, kind from destinations
    where account_id = any (${accountIds}::integer[]) and status = 'active' and kind = any (${DIRECT_KINDS}::text[])
    order by account_id, id`)
