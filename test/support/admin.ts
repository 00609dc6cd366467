import { adminCommand } from '../../src/admin/main.ts'
import type { Pool } from '../../src/db/database.ts'
import { RETENTION_DEFAULTS } from '../../src/domain/accounts/retention-days.ts'
import type { Vault } from '../../src/domain/privacy/secrets.ts'
import { performed } from './callers/in-process.ts'
import { UNLIMITED } from './studio.ts'

interface Store {
  db: Pool
  vault: Vault
  site?: string
  metering?: boolean
}

const refuse = () => Promise.reject(new Error('not opened here'))

/** The first word `admin` on a test database. */
export const adminOf = (store: Store) => {
  const close = async () => {}
  const opened = {
    site: 'https://gold.example',
    metering: false,
    quotas: UNLIMITED,
    retention: RETENTION_DEFAULTS,
    ...store,
    close,
  }
  return { admin: async () => adminCommand({ store: async () => opened, rawDatabase: refuse, storedBackups: refuse }) }
}

/** `goldmaster admin …` on a test database, piped: returns its output, and throws its errors. */
export const admin = (store: Store, ...words: string[]): Promise<string> =>
  performed(['admin', ...words], { beside: adminOf(store) })

/** The same for commands that open a database of any version, such as `distribute`. */
export const adminOfDatabase = (url: string, ...words: string[]): Promise<string> => {
  const raw = {
    url,
    secretKey: undefined,
    keptSecret: { path: '', read: () => undefined, write: () => {} },
    log: { info: () => {}, warn: () => {} },
    close: async () => {},
  }
  const opened = { store: refuse, rawDatabase: async () => raw, storedBackups: refuse }
  return performed(['admin', ...words], { beside: { admin: async () => adminCommand(opened) } })
}
