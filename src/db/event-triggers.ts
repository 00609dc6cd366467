import { createHash } from 'node:crypto'
import type pg from 'pg'
import { EVENT_TYPES, type EventType, rowOf } from '../contract/events.ts'
import { isTableDistributed } from './distributed/distribution.ts'
import { conditionOf, SOURCE_TABLES } from './event-sources.ts'
import type { MigrationSession } from './migration-session.ts'

/** Writes outbox rows for one event type: a function and the triggers that call it. */
interface Recorder {
  name: string
  /** The hash of the statements: a function with another hash in its comment is replaced. */
  hash: string
  statements: string[]
}

/**
 * Creates the triggers of this version's types that are missing or different in the database. Those of other types stay: nodes of two
 * versions run together during an upgrade.
 */
export async function applyEventTriggers({ client, transaction }: MigrationSession) {
  for (const { name, statements } of await outdated(client))
    await transaction(name, async (client) => {
      for (const statement of statements) await client.query(statement)
    })
}

export const areEventTriggersCurrent = async (client: pg.Client): Promise<boolean> => (await outdated(client)).length === 0

async function outdated(client: pg.Client): Promise<Recorder[]> {
  const { rows } = await client.query<{ name: string; hash: string | null }>(
    `select proname as name, obj_description(oid, 'pg_proc') as hash from pg_proc
     where proname like 'enqueue%' and pronamespace = current_schema()::regnamespace`,
  )
  const form = { distributed: await isTableDistributed(client, 'outbox') }
  return recorders(form).filter(({ name, hash }) => !rows.some((row) => row.name === name && row.hash === hash))
}

/** Tables on several servers have no triggers with the rows of a whole statement. */
interface Form {
  distributed: boolean
}

const recorders = (form: Form): Recorder[] => EVENT_TYPES.map((type) => recorderOf(type, form))

export const eventTriggerStatements = (form: Form): string[] => recorders(form).flatMap(({ statements }) => statements)

function recorderOf(type: EventType, { distributed }: Form): Recorder {
  const { source, inserted, updated } = rowOf(type)
  const { table, bulk } = SOURCE_TABLES[source]
  const name = `enqueue_${type.replaceAll('.', '_')}`
  const [onInsert, onUpdate] = [`${name}_on_insert`, `${name}_on_update`]
  const each = (condition: string) => `for each row when (${condition}) execute function ${name}()`
  const insertions =
    bulk && !distributed
      ? `referencing new table as inserted for each statement execute function ${name}()`
      : each(conditionOf([type], 'new'))
  const statements = [
    functionOf(name, type),
    `drop trigger if exists ${onInsert} on ${table}`,
    `drop trigger if exists ${onUpdate} on ${table}`,
    ...(inserted ? [`create trigger ${onInsert} after insert on ${table} ${insertions}`] : []),
    ...(updated === 'never' ? [] : [`create trigger ${onUpdate} after update on ${table} ${each(updateOf(type))}`]),
  ]
  const hash = createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16)
  return { name, hash, statements: [...statements, `comment on function ${name}() is '${hash}'`] }
}

function updateOf(type: EventType): string {
  const { updated } = rowOf(type)
  const now = conditionOf([type], 'new')
  if (updated === 'entered') return `${now} and not (${conditionOf([type], 'old')})`
  const changed = (updated as readonly string[]).map((column) => `old.${column} is distinct from new.${column}`).join(' or ')
  return now === 'true' ? changed : `(${changed}) and ${now}`
}

function functionOf(called: string, type: EventType): string {
  const { source, feed } = rowOf(type)
  const { at, key, row: name = 's.id', state, facts, bulk, project = 's.project_id' } = SOURCE_TABLES[source]
  // Nodes of the previous version look up the record by its kind: they would mistake a type outside the feed for one inside.
  const [kind, moment] = feed ? [source, `s.${at}`] : [type, 'now()']
  const columns = { id: `s.${key.column}::text`, state: state ? `s.${state}` : 'null', ...facts }
  const pairs = Object.entries(columns).map(([fact, expression]) => `'${fact}', ${expression}`)
  const enqueue = (from: string) => `
    insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts)
    select s.account_id, ${project}, '${kind}', ${name}::text, '${type}', ${moment}, json_build_object(${pairs.join(', ')})
    from ${from};`
  const row = enqueue('(select new.*) s')
  const statement = enqueue(`inserted s where ${conditionOf([type])}`)
  // Loading a world creates no events: it describes the past.
  return `create or replace function ${called}() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  ${bulk ? `if tg_level = 'STATEMENT' then ${statement}\n  else ${row}\n  end if;` : row}
  return null;
end $$`
}
