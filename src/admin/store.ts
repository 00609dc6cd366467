import type { Pool } from '../db/database.ts'
import type { Vault } from '../domain/access/secrets.ts'

export interface Store {
  db: Pool
  vault: Vault
  /** The address of the service, for links. */
  site: string
  /** Whether accounts made here are metered. */
  metering: boolean
  close(): Promise<void>
}

export type Open = () => Promise<Store>

/** Opens the database for one command and closes it whatever happens. */
export async function using<T>(open: Open, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
