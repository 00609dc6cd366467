import type pg from 'pg'
import { eventTriggerStatements } from '../event-triggers.ts'
import type { MigrationSession } from '../migration-session.ts'
import { isTableDistributed } from './distribution.ts'

/** Where the rows of a table are: on every server, on the coordinator, or on the server of their account. */
export type Placement = 'copied' | 'central' | 'by account'

/** Distribution is impossible here; the message says why. */
class DistributionRefused extends Error {}

/** Servers with other rows cannot see the rows of a whole statement: these triggers run per row there. */
const ROW_FORMS: Record<string, string> = {
  queue_new_for_search: 'queue_changed_for_search',
  index_new_labels: 'index_changed_labels',
  count_file_bytes: 'count_file_bytes_of_row',
}

/**
 * Triggers write only to rows of the same account, which are on the same server: that is why they are safe. They see what a transaction
 * sets for itself, such as that nothing is to be told.
 */
export const DISTRIBUTION_SETTINGS = [
  'citus.enable_unsafe_triggers = on',
  'citus.allow_nested_distributed_execution = on',
  'citus.propagate_set_commands = local',
  // Connections between the servers do not get the options of ours: compilation takes seconds.
  'jit = off',
]

/** What distribution would do. */
export interface Plan {
  /** `host:port` */
  workers: string[]
  tables: { by_account: number; copied: number; central: number }
  accounts: number
  bytes: number
}

/** Throws if distribution is impossible here. The database may still be empty. */
export async function planDistribution(client: pg.Client, placements: Record<string, Placement>): Promise<Plan> {
  const workers = await requireWorkers(client)
  if (await isTableDistributed(client, 'outbox'))
    throw new DistributionRefused('This database is already distributed. To spread it over more workers: docs/scale.md.')
  await refuseWhileServing(client)
  const count = (wanted: Placement) => Object.values(placements).filter((placement) => placement === wanted).length
  const { rows: filled } = await client.query(`select from pg_class where oid = to_regclass('accounts')`)
  const { rows: counted } = await client.query<{ accounts: string; bytes: string }>(
    `select ${filled.length > 0 ? '(select count(*) from accounts)' : '0'} as accounts, pg_database_size(current_database()) as bytes`,
  )
  return {
    workers,
    tables: { by_account: count('by account'), copied: count('copied'), central: count('central') },
    accounts: Number(counted[0]!.accounts),
    bytes: Number(counted[0]!.bytes),
  }
}

/** Distributes the tables of a migrated database over the workers of its Citus cluster, in one transaction: an interrupted run changes nothing. */
export async function distribute(
  { client, transaction }: MigrationSession,
  placements: Record<string, Placement>,
  onTable: (done: number) => void = () => {},
): Promise<void> {
  await applySettings(client)
  const tables = Object.entries(placements).filter(([, placement]) => placement !== 'central')
  const first = tables.find(([, placement]) => placement === 'by account')![0]
  await transaction('distribute', async (client) => {
    const run = (text: string) => client.query(text)
    await run(`set local citus.multi_shard_modify_mode = 'sequential'; set local citus.enable_unsafe_triggers = on`)
    const rest = await readRest(client)
    for (const { drop } of rest) await run(drop)
    for (const [done, [table, placement]] of tables.entries()) {
      onTable(done)
      await run(
        placement === 'copied'
          ? `select create_reference_table('${table}')`
          : `select create_distributed_table('${table}', 'account_id', colocate_with => '${table === first ? 'none' : first}')`,
      )
    }
    for (const { create } of rest.toReversed()) for (const text of create(placements)) await run(text)
    for (const text of eventTriggerStatements({ distributed: true })) await run(text)
    // It depends on no setting. Declared so only here: PostgreSQL would no longer inline it, and Citus needs it for `returning`.
    await run('alter function iso(timestamptz) immutable')
  })
}

async function requireWorkers(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select from pg_extension where extname = 'citus'`)
  if (found.length === 0)
    throw new DistributionRefused(
      'This database has no extension citus. Install Citus on each server, create the extension in this database and in that of each worker, and add the workers: docs/scale.md.',
    )
  const { rows: workers } = await client.query<{ name: string }>(
    `select concat_ws(':', node_name, node_port) as name from citus_get_active_worker_nodes() order by 1`,
  )
  if (workers.length === 0)
    throw new DistributionRefused('The cluster has no workers: add them with citus_add_node (docs/scale.md).')
  return workers.map(({ name }) => name)
}

/** A service that is running would go on as if all rows were on one server. */
async function refuseWhileServing(client: pg.Client) {
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'goldmaster' limit 1`,
  )
  if (rows.length > 0) throw new DistributionRefused('The service is connected to this database. Stop all its processes first.')
}

/** Sessions start with these settings on every server. */
async function applySettings(client: pg.Client) {
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
  for (const setting of DISTRIBUTION_SETTINGS) {
    const text = `alter database ${rows[0]!.name} set ${setting}`
    await client.query(text)
    await client.query('select run_command_on_workers($1)', [text])
  }
}

/** What Citus refuses to have while a table is distributed, or refuses in its present form. */
interface Part {
  drop: string
  create(placements: Record<string, Placement>): string[]
}

/** In the order in which they can be dropped; they are created in reverse. */
async function readRest(client: pg.Client): Promise<Part[]> {
  const rows = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  const functions = await rows<{ name: string; definition: string }>(`
    select distinct p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition from pg_proc p
    join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass
    where p.pronamespace = 'public'::regnamespace and p.prosqlbody is not null order by 1`)
  const views = await rows<{ name: string; definition: string }>(`
    select c.relname as name, pg_get_viewdef(c.oid) as definition from pg_class c
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`)
  const triggers = await rows<{ name: string; table: string; definition: string; function: string; per_statement: boolean }>(`
    select t.tgname as name, t.tgrelid::regclass::text as table, pg_get_triggerdef(t.oid) as definition, t.tgfoid::regproc::text as function,
      coalesce(t.tgnewtable, t.tgoldtable) is not null as per_statement
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by t.oid`)
  const references = await rows<Reference>(`
    select c.conname as name, c.conrelid::regclass::text as table, c.confrelid::regclass::text as parent, pg_get_constraintdef(c.oid) as definition,
      (select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = c.confdelsetcols[1]) as cleared
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.contype = 'f' and t.relnamespace = 'public'::regnamespace order by c.oid`)
  const isEvent = (name: string) => name.startsWith('enqueue_')
  return [
    ...orderedFunctions(functions).map(({ name, definition }) => ({ drop: `drop function ${name}`, create: () => [definition] })),
    ...views.map(({ name, definition }) => ({
      drop: `drop view ${name}`,
      create: () => [`create view ${name} as ${definition}`],
    })),
    ...triggers.map((trigger) => ({
      drop: `drop trigger ${trigger.name} on ${trigger.table}`,
      create: () => (isEvent(trigger.function) ? [] : [trigger.per_statement ? rowFormOf(trigger) : trigger.definition]),
    })),
    ...references.map((reference) => ({
      drop: `alter table ${reference.table} drop constraint ${reference.name}`,
      create: (placements: Record<string, Placement>) => referenceOf(reference, placements),
    })),
  ]
}

/** Those that call another one are dropped before it. */
const orderedFunctions = (functions: { name: string; definition: string }[]) =>
  functions.toSorted((a, b) => Number(callsOf(b, functions)) - Number(callsOf(a, functions)))
const callsOf = ({ name, definition }: { name: string; definition: string }, functions: { name: string }[]) =>
  functions.some((one) => one.name !== name && definition.includes(`${one.name.split('(')[0]}(`))

const rowFormOf = ({ definition }: { definition: string }) => {
  const [, head, name, rest] =
    /^(.*) REFERENCING (?:(?:NEW|OLD) TABLE AS \w+ )+FOR EACH STATEMENT EXECUTE FUNCTION (\w+)(\(.*\))$/.exec(definition) ?? []
  return `${head} for each row execute function ${ROW_FORMS[name!]}${rest}`
}

interface Reference {
  name: string
  table: string
  parent: string
  definition: string
  /** The column that becomes null when the parent is deleted. */
  cleared: string | null
}

/**
 * Citus refuses to clear a column of a key that contains the account. If the parent is on every server, its id alone is the key; otherwise
 * a trigger clears the column. It runs after the deletion, which may be that of the row to clear too, and before the check of the
 * reference: PostgreSQL runs triggers by their names, and those of references begin with `RI_`.
 */
function referenceOf({ name, table, parent, definition, cleared }: Reference, placements: Record<string, Placement>): string[] {
  const add = (key: string) => `alter table ${table} add constraint ${name} ${key}`
  if (cleared === null) return [add(definition)]
  if (placements[parent] === 'copied') return [add(`foreign key (${cleared}) references ${parent} (id) on delete set null`)]
  const clear = `clear_${table}_${cleared}`
  return [
    add(definition.replace(/ ON DELETE SET NULL \(\w+\)/, '')),
    `create or replace function ${clear}() returns trigger language plpgsql as $$
begin
  update ${table} set ${cleared} = null where account_id = old.account_id and ${cleared} = old.id;
  return null;
end $$`,
    `create trigger "C_${clear}" after delete on ${parent} for each row execute function ${clear}()`,
  ]
}
