import type { LEVELS, UNITS } from '../../contract/app/operator.ts'
import type { Status } from './status.ts'
import { counted, durationOf, sizeOf } from './words.ts'

/**
 * The areas of the service that operators monitor, declared once: the operator's page, `admin status` and `/metrics` show these areas with
 * their figures, the state of each, and what to do next.
 */

interface Figure {
  key: string
  label: string
  unit: (typeof UNITS)[number]
  /** Its name and type in Prometheus. */
  metric: `goldmaster_${string}`
  help: string
  /** Null if unknown. */
  of(status: Status): number | null
}

interface Judgement {
  level: (typeof LEVELS)[number]
  text: string
  /** What to do about it, or where to look. */
  next?: string
}

interface Area {
  name: string
  label: string
  figures: Figure[]
  judge(status: Status): Judgement
}

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A backup a day, plus a few hours for a running one or a retry. */
const BACKUP_OLD = DAY + 6 * HOUR

const list = (words: readonly string[]) => words.join(', ')
const failedJobs = ({ jobs }: Status) => jobs.filter(({ state }) => state === 'failed').reduce((sum, { count }) => sum + count, 0)
const switchedOff = ({ destinations }: Status) =>
  destinations.filter(({ status }) => !['active', 'paused'].includes(status)).reduce((sum, { count }) => sum + count, 0)
const uncertain = ({ troubles }: Status) => troubles.reduce((sum, trouble) => sum + trouble.uncertain, 0)
const silentServers = ({ nodes }: Status) => [
  ...new Set(nodes.filter(({ vanished }) => !vanished).flatMap(({ silent_servers }) => silent_servers)),
]
const living = ({ nodes }: Status) => nodes.filter(({ vanished }) => !vanished)
const waitingIn = ({ lanes }: Status) => lanes.reduce((sum, { waiting }) => sum + (waiting ?? 0), 0)

export const AREAS: readonly Area[] = [
  {
    name: 'nodes',
    label: 'Nodes',
    figures: [
      {
        key: 'live_nodes',
        label: 'Nodes',
        unit: 'count',
        metric: 'goldmaster_nodes',
        help: 'Machines that run the service',
        of: (status) => living(status).length,
      },
      {
        key: 'connections',
        label: 'Database connections',
        unit: 'count',
        metric: 'goldmaster_connections',
        help: 'Connections of all nodes to the database',
        of: ({ sessions }) => sessions.connections,
      },
    ],
    judge(status) {
      const vanished = status.nodes.filter((node) => node.vanished).map(({ host }) => host)
      if (vanished.length > 0)
        return {
          level: 'warn',
          text: `No report from ${list(vanished)}.`,
          next: 'Check that the process runs and can reach the database. A node that stays away is removed from this list after a day.',
        }
      const nodes = living(status)
      const versions = [...new Set(nodes.flatMap((node) => node.versions))]
      if (versions.length > 1)
        return {
          level: 'warn',
          text: `Nodes run different versions: ${list(versions)}.`,
          next: 'Finish the upgrade: restart the nodes that run the older version.',
        }
      if (nodes.length === 0)
        return { level: 'warn', text: 'No node has reported yet.', next: 'Start the service, or wait half a minute.' }
      return { level: 'ok', text: `${counted(nodes.length, 'node')} on version ${versions[0]}.` }
    },
  },
  {
    name: 'queue',
    label: 'Job queue',
    figures: [
      {
        key: 'oldest_job_seconds',
        label: 'Oldest due job',
        unit: 'seconds',
        metric: 'goldmaster_job_oldest_seconds',
        help: 'Seconds since the oldest pending job was due',
        of: ({ backlog }) => backlog.oldest_job,
      },
      {
        key: 'failed_jobs',
        label: 'Failed jobs',
        unit: 'count',
        metric: 'goldmaster_jobs_failed',
        help: 'Jobs that failed after all attempts',
        of: failedJobs,
      },
      {
        key: 'event_lag_seconds',
        label: 'Event lag',
        unit: 'seconds',
        metric: 'goldmaster_outbox_lag_seconds',
        help: 'Age of the oldest event that is not published yet',
        of: ({ backlog }) => backlog.outbox,
      },
    ],
    judge(status) {
      const { oldest_job, outbox } = status.backlog
      if (oldest_job > 5 * MINUTE)
        return {
          level: 'err',
          text: `A job has been due for ${durationOf(oldest_job)}.`,
          next: 'Check that a node works on jobs: JOBS is on, or goldmaster work runs. If one does, raise JOB_CONCURRENCY or add a node.',
        }
      if (outbox > MINUTE)
        return {
          level: 'err',
          text: `Events are ${durationOf(outbox)} late.`,
          next: 'Check the log of the nodes and the load of the database.',
        }
      const failed = failedJobs(status)
      if (failed > 0)
        return {
          level: 'warn',
          text: `${counted(failed, 'job')} failed after all attempts.`,
          next: 'Run goldmaster admin deliveries health to see why.',
        }
      return { level: 'ok', text: 'Jobs start when they are due.' }
    },
  },
  {
    name: 'accounts',
    label: 'Failing accounts',
    figures: [
      {
        key: 'failing_accounts',
        label: 'Failing',
        unit: 'count',
        metric: 'goldmaster_failing_accounts',
        help: 'Accounts for which work of the service fails again and again, at most 100',
        of: ({ failing }) => failing.length,
      },
    ],
    judge({ failing }) {
      const [first] = failing
      if (first === undefined) return { level: 'ok', text: 'Work is done for all accounts.' }
      const { account, account_id, work, error } = first
      return {
        level: 'warn',
        text: `${work} fails for account ${account || account_id}: ${error}`,
        next: 'Other accounts are not affected, and it is retried within an hour. Report the error with the version of the service.',
      }
    },
  },
  {
    name: 'deliveries',
    label: 'Deliveries',
    figures: [
      {
        key: 'oldest_delivery_seconds',
        label: 'Longest wait',
        unit: 'seconds',
        metric: 'goldmaster_delivery_oldest_seconds',
        help: 'Age of the oldest accepted delivery that is not processed yet',
        of: ({ backlog }) => backlog.oldest_delivery,
      },
      {
        key: 'waiting_deliveries',
        label: 'Waiting deliveries',
        unit: 'count',
        metric: 'goldmaster_deliveries_waiting',
        help: 'Accepted deliveries that are not processed yet',
        of: ({ backlog }) => backlog.deliveries,
      },
    ],
    judge({ backlog: { deliveries, oldest_delivery } }) {
      if (deliveries === 0) return { level: 'ok', text: 'Deliveries are processed when they arrive.' }
      const text = `${counted(deliveries, 'delivery waits', 'deliveries wait')} to be processed, the oldest for ${durationOf(oldest_delivery)}.`
      if (oldest_delivery <= MINUTE) return { level: 'ok', text }
      return {
        level: oldest_delivery > 5 * MINUTE ? 'err' : 'warn',
        text,
        next: 'Check that a node works on jobs: JOBS is on, or goldmaster work runs. goldmaster admin deliveries health shows why jobs fail.',
      }
    },
  },
  {
    name: 'lanes',
    label: 'Outgoing messages',
    figures: [
      {
        key: 'webhook_lag_seconds',
        label: 'Webhook lag',
        unit: 'seconds',
        metric: 'goldmaster_outbound_lag_seconds',
        help: 'Age of the oldest pending message of an active outbound webhook',
        of: ({ backlog }) => backlog.outbound,
      },
      {
        key: 'waiting_messages',
        label: 'Pending messages',
        unit: 'count',
        metric: 'goldmaster_messages_waiting',
        help: 'Pending messages of channels and outbound webhooks',
        of: waitingIn,
      },
    ],
    judge(status) {
      const { outbound } = status.backlog
      if (outbound > HOUR)
        return {
          level: 'warn',
          text: `The oldest message to an outbound webhook has been pending for ${durationOf(outbound)}.`,
          next: 'Its server answers slowly or with errors. Ask its owner to look at Settings, Outbound webhooks.',
        }
      const waiting = waitingIn(status)
      return {
        level: 'ok',
        text: waiting === 0 ? 'No messages are pending.' : `${counted(waiting, 'message is', 'messages are')} pending.`,
      }
    },
  },
  {
    name: 'destinations',
    label: 'Channels and webhooks',
    figures: [
      {
        key: 'switched_off',
        label: 'Disabled',
        unit: 'count',
        metric: 'goldmaster_destinations_off',
        help: 'Channels and webhooks that were disabled after failures',
        of: switchedOff,
      },
      {
        key: 'uncertain_messages',
        label: 'Uncertain messages',
        unit: 'count',
        metric: 'goldmaster_uncertain_messages',
        help: 'Chat messages that the chat service did not confirm',
        of: uncertain,
      },
    ],
    judge(status) {
      const [off, unknown] = [switchedOff(status), uncertain(status)]
      if (off > 0)
        return {
          level: 'warn',
          text: `${counted(off, 'channel or webhook was', 'channels and webhooks were')} disabled after failures.`,
          next: 'Tell the admins of these accounts. Settings, Chat channels and Settings, Outbound webhooks show the reason, and they can resume them there.',
        }
      if (unknown > 0)
        return {
          level: 'warn',
          text: `${counted(unknown, 'chat message', 'chat messages')} may not have arrived.`,
          next: 'The admins of the account can look in the chat and send them again from Settings, Chat channels.',
        }
      return { level: 'ok', text: 'None was disabled.' }
    },
  },
  {
    name: 'breakers',
    label: 'Circuit breakers',
    figures: [
      {
        key: 'silent_servers',
        label: 'Servers that don’t respond',
        unit: 'count',
        metric: 'goldmaster_silent_servers',
        help: 'Servers that do not respond; requests to them are paused',
        of: (status) => silentServers(status).length,
      },
    ],
    judge(status) {
      const silent = silentServers(status)
      if (silent.length > 0)
        return {
          level: 'warn',
          text: `${counted(silent.length, 'server does', 'servers do')} not respond. Their jobs are pending.`,
          next: 'Check the server and the network. It is retried automatically, at the latest after 5 minutes.',
        }
      return { level: 'ok', text: 'All servers respond.' }
    },
  },
  {
    name: 'previews',
    label: 'Previews',
    figures: [
      {
        key: 'waiting_previews',
        label: 'Waiting',
        unit: 'count',
        metric: 'goldmaster_previews_waiting',
        help: 'Versions of assets whose files are not fetched yet',
        of: ({ backlog }) => backlog.previews,
      },
      {
        key: 'oldest_preview_seconds',
        label: 'Oldest',
        unit: 'seconds',
        metric: 'goldmaster_preview_oldest_seconds',
        help: 'Age of the oldest version whose file is not fetched yet',
        of: ({ backlog }) => backlog.oldest_preview,
      },
    ],
    judge({ backlog: { previews, oldest_preview } }) {
      if (oldest_preview > HOUR)
        return {
          level: 'warn',
          text: `A preview has been waiting for ${durationOf(oldest_preview)}.`,
          next: 'The server of an integration does not give its files, or too many arrived at once: see Circuit breakers and Job queue. After a day the service gives up.',
        }
      return {
        level: 'ok',
        text: previews === 0 ? 'No previews are waiting.' : `${counted(previews, 'preview is', 'previews are')} waiting.`,
      }
    },
  },
  {
    name: 'refused',
    label: 'Refused requests',
    figures: [
      {
        key: 'refused_requests',
        label: 'Since yesterday, 00:00 UTC',
        unit: 'count',
        metric: 'goldmaster_refused_requests',
        help: 'Requests answered with 429 since yesterday, on all nodes',
        of: ({ refused }) => refused.count,
      },
    ],
    judge({ refused: { count, most } }) {
      if (count === 0) return { level: 'ok', text: 'No request was refused since yesterday.' }
      const settings = [...new Set(most.map(({ reason }) => reason).filter((reason) => reason.startsWith('LIMIT_')))]
      return {
        level: 'warn',
        text: `${counted(count, 'request was', 'requests were')} refused with 429 since yesterday.`,
        next:
          settings.length > 0
            ? `If these requests are legitimate, raise ${list(settings)}.`
            : 'If these requests are legitimate, raise the quotas of the account.',
      }
    },
  },
  {
    name: 'statements',
    label: 'Slow statements',
    figures: [
      {
        key: 'longest_statement_seconds',
        label: 'Longest running now',
        unit: 'seconds',
        metric: 'goldmaster_longest_statement_seconds',
        help: 'Run time of the longest running statement',
        of: ({ sessions }) => sessions.longest_statement,
      },
    ],
    judge({ sessions: { longest_statement }, slow }) {
      if (longest_statement > 5 * MINUTE)
        return {
          level: 'warn',
          text: `A statement has been running for ${durationOf(longest_statement)}.`,
          next: 'A backup or a migration may take that long. Otherwise look at pg_stat_activity.',
        }
      if (!slow.recorded)
        return {
          level: 'ok',
          text: 'PostgreSQL does not record how long statements take.',
          next: 'To see the slowest ones here, add pg_stat_statements to shared_preload_libraries, restart PostgreSQL and run create extension pg_stat_statements.',
        }
      return {
        level: 'ok',
        text:
          slow.statements.length === 0
            ? 'No statement takes long on average.'
            : 'Average times since PostgreSQL started counting.',
      }
    },
  },
  {
    name: 'purges',
    label: 'Purge backlog',
    figures: [
      {
        key: 'deliveries_overdue_seconds',
        label: 'Deliveries overdue by',
        unit: 'seconds',
        metric: 'goldmaster_deliveries_overdue_seconds',
        help: 'How far the oldest delivery is past its retention',
        of: ({ overdue }) => overdue.deliveries,
      },
      {
        key: 'events_overdue_seconds',
        label: 'Events overdue by',
        unit: 'seconds',
        metric: 'goldmaster_events_overdue_seconds',
        help: 'How far the oldest event is past its retention',
        of: ({ overdue }) => overdue.outbox,
      },
    ],
    judge({ overdue }) {
      const most = Math.max(overdue.deliveries, overdue.outbox)
      if (most > 3 * HOUR)
        return {
          level: 'warn',
          text: `The oldest data is ${durationOf(most)} past its retention.`,
          next: 'Purges run every hour for five minutes, so they need a while after an import or a shorter RETENTION. Otherwise look for "purged" in the log of a node that works on jobs.',
        }
      return { level: 'ok', text: 'Old data is deleted in time.' }
    },
  },
  {
    name: 'storage',
    label: 'Storage',
    figures: [
      {
        key: 'database_bytes',
        label: 'Database',
        unit: 'bytes',
        metric: 'goldmaster_database_bytes',
        help: 'Size of the database',
        of: ({ sizes }) => sizes.bytes,
      },
      {
        key: 'database_growth_bytes',
        label: 'Growth per day',
        unit: 'bytes',
        metric: 'goldmaster_database_growth_bytes',
        help: 'Growth of the database in bytes per day, over the last week',
        of: ({ sizes }) => sizes.growth,
      },
      {
        key: 'log_bytes',
        label: 'Build logs',
        unit: 'bytes',
        metric: 'goldmaster_log_bytes',
        help: 'Size of build logs in the database',
        of: ({ sizes }) => sizes.log_bytes,
      },
      {
        key: 'log_growth_bytes',
        label: 'Log growth per day',
        unit: 'bytes',
        metric: 'goldmaster_log_growth_bytes',
        help: 'Growth of build logs in bytes per day, over the last week',
        of: ({ sizes }) => sizes.log_growth,
      },
    ],
    judge({ sizes: { bytes, growth } }) {
      if (growth === null) return { level: 'ok', text: `The database has ${sizeOf(bytes)}. Its growth is known after a day.` }
      return {
        level: 'ok',
        text: `The database has ${sizeOf(bytes)} and ${growth < 0 ? 'shrinks' : 'grows'} by ${sizeOf(Math.abs(growth))} a day.`,
      }
    },
  },
  {
    name: 'mails',
    label: 'Mails',
    figures: [
      {
        key: 'unsent_mails',
        label: 'Not sent',
        unit: 'count',
        metric: 'goldmaster_mails_unsent',
        help: 'Unsent emails; all of them if no mail server is configured',
        of: ({ backlog }) => backlog.mails,
      },
      {
        key: 'failed_mails',
        label: 'Refused by the mail server',
        unit: 'count',
        metric: 'goldmaster_mails_failed',
        help: 'Unsent emails that the mail server rejected or did not confirm',
        of: ({ backlog }) => backlog.failed_mails,
      },
    ],
    judge(status) {
      const { mails, failed_mails } = status.backlog
      if (mails === 0) return { level: 'ok', text: 'No emails are pending.' }
      const unsent = `${counted(mails, 'email was', 'emails were')} not sent.`
      if (!status.nodes.some((node) => node.mails))
        return {
          level: 'warn',
          text: `No mail server is configured. ${unsent}`,
          next: 'Set SMTP_URL and MAIL_FROM, or pass on the links from Settings, Emails.',
        }
      return failed_mails > 0
        ? { level: 'err', text: unsent, next: 'Settings, Emails shows what the mail server answered.' }
        : { level: 'ok', text: `${counted(mails, 'email is', 'emails are')} pending.` }
    },
  },
  {
    name: 'backups',
    label: 'Backups',
    figures: [
      {
        key: 'backup_age_seconds',
        label: 'Last good backup',
        unit: 'seconds',
        metric: 'goldmaster_backup_age_seconds',
        help: 'Age of the newest scheduled backup that passed its restore test',
        of: ({ backups }) => backups.age,
      },
      {
        key: 'backup_bytes',
        label: 'Size',
        unit: 'bytes',
        metric: 'goldmaster_backup_bytes',
        help: 'Size of the newest good backup',
        of: ({ backups }) => backups.good?.bytes ?? null,
      },
    ],
    judge({ nodes, backups: { newest, good, age } }) {
      const last = newest.find(({ status }) => status !== 'running')
      if (last?.status === 'failed')
        return {
          level: 'err',
          text: `The last backup failed: ${last.error}`,
          next: good
            ? `The last good backup is ${good.name}, ${durationOf(age!)} old. Check the passphrase, the free space and the access to ${last.place}.`
            : `There is no good backup. Check the passphrase, the free space and the access to ${last.place}.`,
        }
      if (!nodes.some(({ backs_up }) => backs_up))
        return {
          level: 'warn',
          text: 'No backups are scheduled.',
          next: 'Set BACKUP_TO and BACKUP_PASSPHRASE, or run goldmaster admin backup from your own scheduler.',
        }
      if (age === null)
        return { level: 'warn', text: 'No backup was made yet.', next: 'The first one is made at the time in BACKUP_AT.' }
      if (age > BACKUP_OLD)
        return {
          level: 'err',
          text: `The last good backup is ${durationOf(age)} old.`,
          next: 'Check that a node with BACKUP_TO works on jobs, and its log.',
        }
      return { level: 'ok', text: `The last backup is ${durationOf(age)} old and passed its restore test.` }
    },
  },
]

interface AreaStatus extends Omit<Judgement, 'next'> {
  name: string
  label: string
  next: string | null
  figures: (Pick<Figure, 'key' | 'label' | 'unit'> & { value: number | null })[]
}

export const judged = (status: Status): AreaStatus[] =>
  AREAS.map(({ name, label, figures, judge }) => ({
    name,
    label,
    next: null,
    ...judge(status),
    figures: figures.map(({ key, label, unit, of }) => ({ key, label, unit, value: of(status) })),
  }))
