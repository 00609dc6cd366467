import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { asking, type IntegrationContext } from '../integrations/context.ts'
import { CONTEXT } from '../integrations/job-subjects.ts'
import { WRITES } from '../integrations/write-backs.ts'
import { keysNamed } from '../tasks/tracker-keys.ts'

/** The issues of trackers that are told when a breakage is fixed. */

interface Named {
  integration_id: number
  config: Record<string, unknown>
  key: string
  url: string
}

/** A person linked it: its page is alone on a line of the description, or it is a value of the metadata. Logs in a task don't count. */
function isLinked({ key, url }: Named, said: readonly string[]): boolean {
  const origin = URL.canParse(url) && new URL(url).origin
  return said.some((line) =>
    URL.canParse(line)
      ? new URL(line).origin === origin && keysNamed({ title: line, description: '', metadata: {} }).includes(key)
      : line.toUpperCase() === key.toUpperCase(),
  )
}

/** In the transaction that fixed or reopened a breakage. Of several issues of one tracker, none is chosen. */
export async function scheduleIssue(db: Database, { account_id, id }: RecordKey) {
  const task = await db.one<{ project_id: number; description: string; metadata: Record<string, unknown> }>(sql`
    select t.project_id, t.description, t.metadata from breakages k join tasks t on t.account_id = k.account_id and t.id = k.task_id and t.deleted_at is null
    where k.account_id = ${account_id} and k.id = ${id} and exists (
      select from integrations i where i.account_id = k.account_id and i.project_id = k.project_id and ${WRITES})`)
  if (!task) return
  const values = Object.values(task.metadata).filter((value) => typeof value === 'string')
  const said = [...task.description.split('\n').filter((line) => /^https?:\/\/\S+\s*$/.test(line)), ...values].map((line) =>
    line.trim(),
  )
  const keys = keysNamed({ title: said.join('\n'), description: '', metadata: {} })
  const named = await db.rows<Named>(sql`
    select r.integration_id, i.config, r.key, r.url from external_references r
    join integrations i on i.account_id = r.account_id and i.id = r.integration_id and ${WRITES}
    where r.account_id = ${account_id} and r.project_id = ${task.project_id} and r.key = any (${[...keys, ...said]}) and r.deleted_at is null`)
  const linked = named.filter((one) => isLinked(one, said))
  for (const { integration_id, config, key } of linked) {
    if (linked.some((other) => other.integration_id === integration_id && other.key !== key)) continue
    const payload = { account_id, integration_id, breakage_id: id, key }
    await enqueueIssue(db, { account_id, config }, payload)
  }
}

export const enqueueIssue = (
  db: Database,
  integration: Pick<IntegrationContext, 'account_id' | 'config'>,
  payload: Jobs['write_back_issue'],
  delay = 0,
) =>
  enqueue(db, 'write_back_issue', payload, {
    ...asking(integration),
    name: `write back issue ${payload.integration_id} ${payload.breakage_id} ${payload.key}`,
    ...(delay > 0 && { delay }),
  })

interface IssueSubject extends IntegrationContext {
  state: string
  occurrence: number
  /** The change that fixed it, if that is known. */
  fixed_by: string | null
  /** The page of the issue. */
  page: string
}

/** A breakage and the issue of its task; undefined if write-back was switched off or the issue deleted. */
export const issueSubject = (db: Database, { account_id, integration_id, breakage_id, key }: Jobs['write_back_issue']) =>
  db.one<IssueSubject>(sql`
    select ${CONTEXT}, k.state, k.occurrence, c.identifier as fixed_by, r.url as page
    from breakages k join integrations i on i.account_id = k.account_id and i.project_id = k.project_id and i.id = ${integration_id} and ${WRITES}
    join accounts a on a.id = k.account_id and not a.demo and a.swept_at is null
    join projects p on p.account_id = k.account_id and p.id = k.project_id and p.status = 'active'
    join external_references r on r.account_id = i.account_id and r.integration_id = i.id and r.key = ${key} and r.deleted_at is null
    left join changes c on c.account_id = k.account_id and c.id = k.fixed_by_change_id
    where k.account_id = ${account_id} and k.id = ${breakage_id}`)
