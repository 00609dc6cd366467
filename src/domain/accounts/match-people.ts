import { isBot } from '../../contract/change-origin.ts'
import { NAME_MAX, UNKNOWN_NAMES_MAX } from '../../contract/limits.ts'
import type { NameSource } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { COUNTS, KNOWN_THERE, lockNames, scheduleAuthors } from './connected-accounts.ts'
import type { ListedPerson } from './people-list.ts'
import { ssoProviderId } from './users.ts'

export interface Matched {
  /** Names that count from now on: the tool lists the verified address of a member for them. */
  connected: number
  /** Names that look like a member's, for an owner to confirm. */
  proposed: number
  /** Names that were decided or proposed before. */
  known: number
  /** Names that look like nobody's, and the first of them. */
  unknown: number
  unknown_names: string[]
}

interface Member {
  user_id: number
  name: string
  email: string
  email_verified: boolean
  /** The user name that the single sign-on of this account told, or empty. */
  sso_login: string
}

interface KnownName {
  user_id: number
  id: number
  uid: string
  counts: boolean
  decided: boolean
}

/**
 * Who of the members is who in a tool's list of its users. In a trusted list a verified address decides; everything else is only proposed.
 * If there are several candidates, nobody is chosen.
 */
export function matchPeople(
  db: Database,
  accountId: number,
  provider: string,
  listed: readonly ListedPerson[],
  { isTrusted }: { isTrusted: boolean },
): Promise<Matched> {
  return db.transaction(async (db) => {
    await lockNames(db, accountId)
    const members = await db.rows<Member>(sql`
      select u.id as user_id, u.name, u.email, u.email_verified, coalesce(l.user_name, '') as sso_login
      from account_members m join users u on u.id = m.user_id
      left join logins l on l.user_id = m.user_id and l.provider_id = ${ssoProviderId(accountId)}
      where m.account_id = ${accountId}`)
    const names = await db.rows<KnownName>(sql`
      select a.user_id, a.id, lower(a.uid) as uid, ${COUNTS} as counts, exists (
        select from connected_account_confirmations k where k.account_id = m.account_id and k.connected_account_id = a.id) as decided
      from account_members m join connected_accounts a on a.user_id = m.user_id and ${KNOWN_THERE}
      where m.account_id = ${accountId} and a.provider = ${provider}`)
    const counting = new Set(names.filter(({ counts }) => counts).map(({ uid }) => uid))
    const matched: Matched = { connected: 0, proposed: 0, known: 0, unknown: 0, unknown_names: [] }
    const found: (Match & { uid: string })[] = []
    const confirmed: number[] = []
    const certain = new Set<number>()
    for (const { uid, match } of matchesOf(listed, members, isTrusted)) {
      if (counting.has(uid.toLowerCase())) matched.known++
      else if (!match) {
        matched.unknown++
        if (matched.unknown_names.length < UNKNOWN_NAMES_MAX) matched.unknown_names.push(uid)
      } else {
        const known = names.find((one) => one.user_id === match.user_id && one.uid === uid.toLowerCase())
        if (known && (known.decided || !match.is_sure)) matched.known++
        else {
          if (known) confirmed.push(known.id)
          else found.push({ ...match, uid })
          if (match.is_sure) certain.add(match.user_id)
          matched[match.is_sure ? 'connected' : 'proposed']++
        }
      }
    }
    await db.execute(sql`
      with found as (
        insert into connected_accounts (found_in, user_id, provider, uid, proven, found_by)
        select ${accountId}, f.user_id, ${provider}, f.uid, false, f.found_by
        from json_to_recordset(${JSON.stringify(found)}::json) f (user_id integer, uid text, found_by text)
        returning id, user_id, uid)
      insert into connected_account_confirmations (account_id, connected_account_id)
      select ${accountId}::integer, i.id from found i
      join json_to_recordset(${JSON.stringify(found)}::json) f (user_id integer, uid text, is_sure boolean)
        on f.user_id = i.user_id and f.uid = i.uid and f.is_sure
      union all select ${accountId}::integer, id from unnest(${confirmed}::integer[]) id`)
    for (const userId of certain) await scheduleAuthors(db, accountId, userId)
    return matched
  })
}

interface Match {
  user_id: number
  found_by: NameSource
  /** Counts without an owner's confirmation. */
  is_sure: boolean
}

/** Each listed name once, with the one member it is, if there is one. */
function matchesOf(
  listed: readonly ListedPerson[],
  members: readonly Member[],
  isTrusted: boolean,
): { uid: string; match: Match | undefined }[] {
  const byUid = grouped(listed, ({ uid }) => plain(uid))
  const byAddress = grouped(listed, ({ email }) => plain(email))
  const byName = grouped(listed, ({ name }) => plain(name))
  const membersBy = {
    address: grouped(members, ({ email, email_verified }) => (email_verified ? plain(email) : '')),
    sso: grouped(members, ({ sso_login }) => loginIn(plain(sso_login))),
    login: grouped(members, ({ email }) => plain(email).split('@')[0]!),
    name: grouped(members, ({ name }) => plain(name)),
  }
  const isAlone = (group: readonly unknown[] | undefined) => group?.length === 1
  const one = (found_by: keyof typeof membersBy, key: string, is_sure = false): Match | undefined => {
    const found = membersBy[found_by].get(plain(key))
    return isAlone(found) ? { user_id: found![0].user_id, found_by, is_sure } : undefined
  }
  return [...byUid.values()].map((group) => {
    const { uid, name, email } = group[0]
    if (!isAlone(group) || isBot(uid) || uid.length > NAME_MAX) return { uid, match: undefined }
    // A build account often has the address of the person who set it up: two names with one address are both only proposed.
    const match = one('address', email, isTrusted && isAlone(byAddress.get(plain(email)))) ?? one('sso', uid) ?? one('login', uid)
    return { uid, match: match ?? (isAlone(byName.get(plain(name))) ? one('name', name) : undefined) }
  })
}

/** Of `kim`, `kim@studio.example` or `STUDIO\\kim`. */
const loginIn = (userName: string) => userName.split('\\').at(-1)!.split('@')[0]!

const plain = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** By key, without the empty one. */
function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else if (key !== '') groups.set(key, [row])
  }
  return groups
}
