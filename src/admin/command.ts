import type { Database, Pool } from '../db/database.ts'
import type { MigrationLog } from '../db/migration-session.ts'
import type { Quotas } from '../domain/accounts/quotas.ts'
import type { Retention } from '../domain/accounts/retention-days.ts'
import { type OperatedKind, operated } from '../domain/audit/operators.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { Command, Run } from '../terminal/command.ts'
import type { Arguments, Flags } from '../terminal/flags.ts'

export interface OpenedStore {
  db: Pool
  vault: Vault
  /** The address of the service, for links. */
  site: string
  /** Whether accounts made here are metered. */
  metering: boolean
  /** What accounts may use, and how long what is kept, unless they have something else. */
  quotas: Quotas
  retention: Retention
  close(): Promise<void>
}

interface Store extends OpenedStore {
  /**
   * Does what changes something, and writes it into the audit log of every account that it touches, in one transaction. `id` is undefined for
   * what is only made.
   */
  change<T>(
    kind: OperatedKind,
    id: number | undefined,
    work: (db: Database) => Promise<T>,
    more?: {
      /** What else is worth telling. */
      after?: object
      /** Too long for one transaction: `db` is the pool. */
      detached?: true
    },
  ): Promise<T>
  /** As whom and what it stands in the audit log. */
  action: string
}

/** A database of any version, or an empty one: for commands that copy all of it. */
export interface RawDatabase {
  /** The database's own address, not a pooler's. */
  url: string
  /** The key that was given by SECRET_KEY. */
  secretKey: string | undefined
  /** The key that is kept in DATA_DIR instead. */
  keptSecret: { path: string; read(): string | undefined; write(secret: string): void }
  /** Tells what a migration waits for. */
  log: MigrationLog
  close(): Promise<void>
}

/** How a command gets at the database: set up and of this version, or as it is. `makes`: one that is not there is made. */
export interface Open {
  store(makes: boolean): Promise<OpenedStore>
  rawDatabase(makes: boolean): Promise<RawDatabase>
}

interface Call<F extends Flags, A extends Arguments, S> extends Run<F, A> {
  /** Opens the database, which may have to start first: what can be refused without it is refused before. */
  store(): Promise<S>
}

export interface AdminCommand<F extends Flags = Flags, A extends Arguments = Arguments, S = Store>
  extends Omit<Command<F, A>, 'prints' | 'run'> {
  /** Fills a new database. The others look for one, and in the wrong folder there is none. */
  makes?: boolean
  /** Of a list that is answered in pages, the name of its rows. */
  rows?: string
  run(call: Call<F, A, S>): unknown
}

/** A command that opens the database. Lets `run` know its flags and arguments by their names. */
export const command = <const F extends Flags, const A extends Arguments>(made: AdminCommand<F, A>): AdminCommand =>
  made as unknown as AdminCommand

type RawDatabaseCommand = AdminCommand<Flags, Arguments, RawDatabase>
export const rawDatabaseCommand = <const F extends Flags, const A extends Arguments>(
  made: AdminCommand<F, A, RawDatabase>,
): RawDatabaseCommand => made as unknown as RawDatabaseCommand

/** Opens the database when the command asks for it and closes it whatever happens. */
export const withOpened =
  <S extends { close(): Promise<void> }>(open: (makes: boolean) => Promise<S>) =>
  ({ makes = false, rows, ...made }: AdminCommand<Flags, Arguments, S>): Command => ({
    ...made,
    prints: rows === undefined ? 'json' : { rows },
    async run(given) {
      let opened: Promise<S> | undefined
      const store = () => {
        opened ??= open(makes)
        return opened
      }
      try {
        return await made.run({ ...given, store })
      } finally {
        await (await opened?.catch(() => undefined))?.close()
      }
    },
  })

/** Of `noun`, whose commands open the database of this version. */
export const withStore =
  (open: Open['store'], noun = '') =>
  (made: AdminCommand): Command => {
    const action = `admin ${noun} ${made.name}`.replace('  ', ' ')
    return withOpened(async (makes): Promise<Store> => {
      const store = await open(makes)
      return {
        ...store,
        action,
        change(kind, id, work, { after, detached } = {}) {
          const operation = { action, kind, id, ...(after && { after }) }
          if (detached) return operated(store.db, operation, () => work(store.db))
          return store.db.transaction((db) => operated(db, operation, () => work(db)))
        },
      }
    })(made)
  }
