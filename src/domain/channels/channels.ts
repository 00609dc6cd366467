import {
  CHANNEL_KIND_TABLE,
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelStatus,
  type RuleSubject,
} from '../../contract/channels.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import { URL_MAX } from '../../contract/limits.ts'
import type { FailureCategory } from '../../contract/sets.ts'
import { type Database, reserveId, type Sql, sql } from '../../db/database.ts'
import { unmatched } from '../branches/branch-patterns.ts'
import type { Vault } from '../privacy/secrets.ts'
import { IN_QUEUE, secretOf } from '../sending/destinations.ts'

/** Which events a channel gets, and its quiet hours. */
export interface Rule {
  project_id: number
  subject: RuleSubject
  branch: string
  job: string
  category: FailureCategory | null
  hours: number | null
  here: boolean
  quiet_from: string | null
  quiet_until: string | null
}

export interface Channel {
  id: number
  account_id: number
  kind: ChannelKind
  name: string
  room: string
  status: ChannelStatus
  trouble: string
  failing_since: string | null
  /** Messages not yet sent. */
  waiting: number
  rules: Rule[]
  unmatched_patterns: { project_id: number; branch: string }[]
  created_at: string
  updated_at: string
}

const CHANNELS_MAX = 50

const select = (where: Sql) => sql`
  select c.id, c.account_id, c.kind, c.name, c.room, c.status, case when c.status = 'broken' then c.error else '' end as trouble,
    c.failing_since, c.created_at, c.updated_at,
    (select count(*) from messages m where m.account_id = c.account_id and m.destination_id = c.id and ${IN_QUEUE}) as waiting,
    coalesce((select json_agg(json_build_object('project_id', r.project_id, 'subject', r.subject, 'branch', r.branch, 'job', r.job,
      'category', r.category, 'hours', r.hours, 'here', r.here, 'quiet_from', to_char(r.quiet_from, 'HH24:MI'),
      'quiet_until', to_char(r.quiet_until, 'HH24:MI')) order by r.id) from channel_rules r where r.account_id = c.account_id and r.channel_id = c.id), '[]') as rules
  from destinations c where c.kind = any (${CHANNEL_KINDS}::text[]) and ${where} order by c.id`

export const list = async (db: Database, accountId: number): Promise<Channel[]> =>
  withUnmatched(db, accountId, await db.rows(select(sql`c.account_id = ${accountId}`)))

/** Adds to each rule the branch patterns that match nothing: otherwise nobody would notice. */
async function withUnmatched(
  db: Database,
  accountId: number,
  found: readonly Omit<Channel, 'unmatched_patterns'>[],
): Promise<Channel[]> {
  const rules = found.flatMap((channel) => channel.rules).filter(({ branch }) => branch !== '')
  const lost = new Map<number, string[]>()
  for (const project_id of new Set(rules.map((rule) => rule.project_id)))
    lost.set(
      project_id,
      await unmatched(
        db,
        { account_id: accountId, project_id },
        rules.filter((rule) => rule.project_id === project_id).map(({ branch }) => branch),
      ),
    )
  return found.map((channel) => ({
    ...channel,
    unmatched_patterns: channel.rules
      .filter(({ project_id, branch }) => lost.get(project_id)?.includes(branch))
      .map(({ project_id, branch }) => ({ project_id, branch })),
  }))
}

export async function find(db: Database, accountId: number, id: number | undefined): Promise<Channel> {
  const [channel] = await withUnmatched(
    db,
    accountId,
    await db.rows(select(sql`c.account_id = ${accountId} and c.id = ${id ?? 0}`)),
  )
  if (!channel) throw notFound('Channel')
  return channel
}

export interface ChannelFields {
  name: string
  room: string
  secret: string
  status: 'active' | 'paused'
  rules: Rule[]
}

export const create = (
  db: Database,
  vault: Vault,
  accountId: number,
  { kind, name, room = '', secret, rules = [] }: { kind: ChannelKind; name: string; secret: string } & Partial<ChannelFields>,
): Promise<Channel> =>
  db.transaction(async (db) => {
    const id = await reserveId(db, 'destinations')
    const sealed = vault.seal(readSecret(kind, secret), secretOf(id))
    requireRoom(kind, room)
    // Serializes concurrent requests, so that the last free slot is given once.
    await db.one(sql`select from accounts where id = ${accountId} for no key update`)
    const made = await db.one<{ id: number }>(sql`
      insert into destinations (id, account_id, kind, name, room, secret_sealed) overriding system value
      select ${id}, ${accountId}, ${kind}, ${name}, ${room.trim()}, ${sealed}
      where (select count(*) from destinations where account_id = ${accountId} and kind = any (${CHANNEL_KINDS}::text[])) < ${CHANNELS_MAX} returning id`)
    if (!made) throw invalidParameter('kind', `an account has at most ${CHANNELS_MAX} channels`)
    await setRules(db, accountId, made.id, rules)
    return find(db, accountId, made.id)
  })

/** A new secret or room, or its owner's confirmation, enables a broken channel again: waiting messages are sent. */
export const edit = (
  db: Database,
  vault: Vault,
  accountId: number,
  id: number | undefined,
  { name, room, secret, status, rules }: Partial<ChannelFields>,
): Promise<Channel> =>
  db.transaction(async (db) => {
    const known = await find(db, accountId, id)
    if (room !== undefined) requireRoom(known.kind, room)
    const sealed = secret === undefined ? null : vault.seal(readSecret(known.kind, secret), secretOf(known.id))
    const mended = secret !== undefined || room !== undefined ? 'active' : known.status
    await db.execute(sql`
      update destinations set name = ${name ?? known.name}, room = ${room?.trim() ?? known.room},
        secret_sealed = coalesce(${sealed}, secret_sealed), status = ${status ?? (known.status === 'broken' ? mended : known.status)},
        updated_at = now() where account_id = ${accountId} and id = ${known.id}`)
    await db.execute(sql`
      update destinations set error = '', failing_since = null, rests_until = now()
      where account_id = ${accountId} and id = ${known.id} and status = 'active'`)
    // Chat ids belong to the workspace of the old secret.
    if (secret !== undefined) await db.execute(sql`delete from channel_people where channel_id = ${known.id}`)
    if (rules !== undefined) await setRules(db, accountId, known.id, rules)
    return find(db, accountId, known.id)
  })

/** Deletes its messages and its log, too. */
export async function remove(db: Database, accountId: number, id: number | undefined) {
  const gone = await db.execute(sql`
    delete from destinations where account_id = ${accountId} and id = ${id ?? 0} and kind = any (${CHANNEL_KINDS}::text[])`)
  if (gone === 0) throw notFound('Channel')
}

async function setRules(db: Database, accountId: number, channelId: number, rules: readonly Rule[]) {
  for (const rule of rules) {
    requireWholeRule(rule)
    const found = await db.one(sql`select from projects where id = ${rule.project_id} and account_id = ${accountId}`)
    if (!found) throw notFound('Project')
  }
  await db.execute(sql`delete from channel_rules where account_id = ${accountId} and channel_id = ${channelId}`)
  await db.execute(sql`
    insert into channel_rules (account_id, channel_id, project_id, subject, branch, job, category, hours, here, quiet_from, quiet_until)
    select ${accountId}, ${channelId}, r.project_id, r.subject, r.branch, r.job, r.category, r.hours, r.here, r.quiet_from, r.quiet_until
    from json_to_recordset(${JSON.stringify(rules)}::json) r (project_id integer, subject text, branch text, job text, category text,
      hours integer, here boolean, quiet_from time, quiet_until time)`)
}

export function requireWholeRule({ subject, hours, quiet_from, quiet_until }: Partial<Rule>) {
  if ((quiet_from == null) !== (quiet_until == null)) throw invalidParameter('rules', 'quiet hours need a start and an end')
  if ((subject === 'last_known_good') !== (hours != null))
    throw invalidParameter('rules', 'hours belong to last_known_good, which needs them')
}

export function requireRoom(kind: ChannelKind, room: string) {
  const needed = CHANNEL_KIND_TABLE[kind].secret === 'token'
  // A channel name would work for posting, but not for searching.
  if (needed && !/^[CG][A-Z0-9]{6,20}$/.test(room.trim()))
    throw invalidParameter(
      'room',
      'must be the ID of a channel, such as C024BE91L; Slack shows it at the bottom of the channel details',
    )
  if (!needed && room.trim() !== '') throw invalidParameter('room', 'can’t be set: the webhook URL already names the channel')
}

/** Pasted secrets may have spaces around them. */
export function readSecret(kind: ChannelKind, text: string): string {
  const secret = text.trim()
  if (CHANNEL_KIND_TABLE[kind].secret === 'token') {
    if (!/^xox[a-z]-[\w-]{8,250}$/.test(secret)) throw invalidParameter('secret', 'must be a bot token, which starts with xoxb-')
    return secret
  }
  const url = secret.length <= URL_MAX && URL.canParse(secret) ? new URL(secret) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalidParameter('secret', 'must be a webhook URL, which starts with https://')
  if (url.username !== '' || url.password !== '') throw invalidParameter('secret', 'must not contain a password')
  // Unchanged: some vendors sign the exact spelling.
  return secret
}
