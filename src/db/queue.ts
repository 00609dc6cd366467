import { createHash } from 'node:crypto'
import { type Database, sql } from './database.ts'

/** Every kind of work that is done later, and what it needs to know. Providers add the jobs that ask their servers. */
export interface Jobs {
  /** Reads a stored delivery whose tool was answered before the work was done. */
  ingest: { delivery_id: number }
  /** Deletes what only a deleted integration was about. */
  purge_integration: { integration_id: number }
  /** Writes a file that somebody takes along. */
  write_export: { export_id: number }
  /** Deletes what is closed already. */
  delete_account: { account_id: number }
  delete_project: { account_id: number; project_id: number }
  delete_user: { user_id: number }
  /** Finds out why a build failed. */
  investigate: { investigation_id: number }
  /** Investigates a build that failed, unasked. */
  investigate_failure: { build_run_id: number }
  /** Looks whether what broke a job is still broken. */
  settle_breakages: { project_id: number; job: string; since?: string }
  /** Computes the suspects of a failed build again, from the changes between two positions of its branch. */
  review_suspects: { build_run_id: number; span?: { above: number; up_to: number } }
  /** Finds builds whose range got a late change. */
  review_ranges: { project_id: number }
  /** Hands a mail to the mail server, where one is configured. */
  send_mail: { mail_id: number }
  /** Mails a link that ends a sign-up, or tells whoever has the address already. */
  mail_sign_up: { name: string; email: string; token: string; site: string }
  /** Mails a link that sets a new password, if somebody has the address. */
  mail_password_reset: { email: string; token: string; site: string }
  /** Writes into the audit log that somebody tried a wrong password, if somebody has the address. */
  audit_refused_sign_in: { email: string; ip_address: string; attempted_at: string }
}
export type JobKind = keyof Jobs

interface Placing {
  /** On whose behalf it is done, say `account:7`: owners take turns, and none gets all the slots. */
  owner?: string
  /** The server it asks: only a few jobs ask one at the same time, and none while it does not answer. */
  server?: string
  /** Not before this many seconds from now. */
  delay?: number
  /** A waiting job of the same name is replaced instead of doubled. */
  name?: string
}

/** How the flags of a job begin that say whom it is for, and which server it asks. */
export const FOR = 'for:'
export const ASKS = 'asks:'

/** graphile-worker refuses a job key of more than 512 characters; the name of a CI job alone may have 500. */
const KEY_MAX = 512
const keyOf = (name: string): string => {
  if (name.length <= KEY_MAX) return name
  const hash = createHash('sha256').update(name).digest('hex')
  return `${name.slice(0, 200).toWellFormed()} ${hash}`
}

/** In the caller's transaction: what is rolled back is never worked on. */
export const enqueue = <K extends JobKind>(db: Database, kind: K, payload: Jobs[K], placing: Placing) => {
  const { owner, server, delay = 0, name } = placing
  const flags = [...(owner === undefined ? [] : [FOR + owner]), ...(server === undefined ? [] : [ASKS + server])]
  return db.execute(sql`
    select graphile_worker.add_job(${kind}, payload => ${JSON.stringify(payload)}::json,
      run_at => ${delay > 0 ? sql`goldmaster_now() + make_interval(secs => ${delay})` : sql`now()`}, job_key => ${name === undefined ? null : keyOf(name)}::text, flags => ${flags}::text[])`)
}

/** Kinds of advisory locks by which nodes share out queues that have one lane each, and who makes the next backup. */
export const LEASES = {
  webhooks: 0x706f7374,
  channels: 0x63686174,
  auditStreams: 0x61756469,
  objects: 0x6f626a73,
  backups: 0x6261636b,
}

/** In words for whoever looks at the job; which servers are left alone, nodes tell themselves (domain/operations/nodes.ts). */
const LEFT_ALONE = 'The server does not answer. We try again later.'

/** Jobs that are to ask a server which does not answer wait, spread out; it is no try of theirs. */
export const postpone = (db: Database, flag: string, seconds: number) =>
  db.execute(sql`
    update graphile_worker._private_jobs set run_at = now() + make_interval(secs => ${seconds} * (1 + random() / 2)),
      last_error = coalesce(last_error, ${LEFT_ALONE})
    where is_available and run_at <= now() and flags ? ${flag}`)

/** Ends a named job: a waiting one is taken back, a running one is not tried again. In the caller's transaction, like its effect. */
export const cancel = (db: Database, name: string) => db.execute(sql`select graphile_worker.remove_job(${keyOf(name)})`)
