import type { Database, FileStore, Pool } from '../db/database.ts'
import type { MigrationLog } from '../db/migration-session.ts'
import type { Quotas } from '../domain/accounts/quotas.ts'
import type { Retention } from '../domain/accounts/retention-days.ts'
import { type OperatedKind, operated } from '../domain/audit/operators.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { Command, Run } from '../terminal/command.ts'
import type { Arguments, Flags } from '../terminal/flags.ts'

interface OpenedStore {
  db: Pool
  vault: Vault
  /** The URL of the service, for links. */
  site: string
  /** Whether new accounts are metered. */
  metering: boolean
  /** The default quotas and retention of accounts. */
  quotas: Quotas
  retention: Retention
  close(): Promise<void>
}

interface Store extends OpenedStore {
  /** Runs a change and records it in the audit log of every affected account, in one transaction. `id` is undefined for a new record. */
  change<T>(
    kind: OperatedKind,
    id: number | undefined,
    work: (db: Database) => Promise<T>,
    more?: {
      /** More details for the entry. */
      after?: object
      /** Too long for one transaction: `db` is the pool. */
      detached?: true
    },
  ): Promise<T>
  /** The action in the audit log. */
  action: string
}

/** A database of any version, or an empty one: for commands that copy all of it. */
export interface RawDatabase {
  /** The database's own URL, not a pooler's. */
  url: string
  /** The key from SECRET_KEY. */
  secretKey: string | undefined
  /** The key stored in DATA_DIR instead. */
  keptSecret: { path: string; read(): string | undefined; write(secret: string): void }
  /** Attached files, unless they are in an object store. */
  files?: FileStore | undefined
  /** Reports what a migration waits for. */
  log: MigrationLog
  close(): Promise<void>
}

interface StoredBackups {
  /** The newest first. */
  list(): Promise<{ name: string; bytes: number; stored_at: string }[]>
  read(name: string, bytes: number): AsyncIterable<Buffer>
}

/** How a command opens the database: migrated to this version, or as it is. `makes`: a missing one is created. */
export interface Open {
  store(makes: boolean): Promise<OpenedStore>
  rawDatabase(makes: boolean): Promise<RawDatabase>
  /** Backups below a prefix of the object store. */
  storedBackups(prefix: string): Promise<StoredBackups>
}

interface Call<F extends Flags, A extends Arguments, S> extends Run<F, A> {
  /** Opens the database, which may have to be started: arguments are validated before. */
  store(): Promise<S>
}

export interface AdminCommand<F extends Flags = Flags, A extends Arguments = Arguments, S = Store>
  extends Omit<Command<F, A>, 'prints' | 'run'> {
  /** Fills a new database. Other commands expect an existing one, and in the wrong folder there is none. */
  makes?: boolean
  /** For a paged list, the name of its rows. */
  rows?: string
  run(call: Call<F, A, S>): unknown
}

/** A command that opens the database. Gives `run` its flags and arguments by name. */
export const command = <const F extends Flags, const A extends Arguments>(made: AdminCommand<F, A>): AdminCommand =>
  made as unknown as AdminCommand

type RawDatabaseCommand = AdminCommand<Flags, Arguments, RawDatabase>
export const rawDatabaseCommand = <const F extends Flags, const A extends Arguments>(
  made: AdminCommand<F, A, RawDatabase>,
): RawDatabaseCommand => made as unknown as RawDatabaseCommand

/** Opens the database when the command asks for it and always closes it. */
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

/** For `noun`, whose commands open the database of this version. */
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
