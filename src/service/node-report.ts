import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { VERSION } from '../contract/version.ts'
import type { Database } from '../db/database.ts'
import { type NodeProcess, REPORT_EVERY_MS, removeNode, reportNode } from '../domain/operations/nodes.ts'
import type { RefusedRequests } from '../domain/operations/refused-requests.ts'
import type { Settings } from './environment.ts'

interface Reporting {
  db: Database
  log: Logger
  role: NodeProcess['role']
  filesFolder: string | null
  /** Data of a serving process, or of one that runs jobs. */
  refusedRequests?: RefusedRequests
  silentServers?: () => string[]
}

/** Sends heartbeats and counters of this process to the database, until stopped. */
export function startNodeReport(
  settings: Pick<Settings, 'mail' | 'backups' | 'jobs'>,
  { db, log, role, filesFolder, refusedRequests, silentServers = () => [] }: Reporting,
) {
  const node: NodeProcess = {
    id: randomUUID(),
    host: hostname(),
    role,
    version: VERSION,
    mails: settings.mail !== undefined,
    files_folder: filesFolder,
    backs_up: settings.backups !== undefined && (role === 'work' || settings.jobs),
  }
  const report = async () => {
    await refusedRequests?.flush(db)
    await reportNode(db, node, silentServers())
  }
  let last: Promise<void> = Promise.resolve()
  const reportNext = () => {
    last = last
      .then(report)
      .catch((error: Error) => log.warn({ error: error.message }, 'could not save the status of this process'))
  }
  reportNext()
  const timer = setInterval(reportNext, REPORT_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await last
      await refusedRequests?.flush(db).catch(() => {})
      await removeNode(db, node.id).catch(() => {})
    },
  }
}
