import type { Pool } from '../db/database.ts'
import type { Vault } from '../domain/access/secrets.ts'
import type { Command, Run } from '../terminal/command.ts'
import type { Arguments, Flags } from '../terminal/flags.ts'

interface Store {
  db: Pool
  vault: Vault
  /** The address of the service, for links. */
  site: string
  /** Whether accounts made here are metered. */
  metering: boolean
  close(): Promise<void>
}

export type Open = () => Promise<Store>

interface Call<F extends Flags, A extends Arguments> extends Run<F, A> {
  /** Opens the database, which may have to start first: what can be refused without it is refused before. */
  store(): Promise<Store>
}

export interface AdminCommand<F extends Flags = Flags, A extends Arguments = Arguments>
  extends Omit<Command<F, A>, 'prints' | 'run'> {
  run(call: Call<F, A>): unknown
}

/** A command that opens the database. Lets `run` know its flags and arguments by their names. */
export const command = <const F extends Flags, const A extends Arguments>(made: AdminCommand<F, A>): AdminCommand =>
  made as unknown as AdminCommand

/** Opens the database when the command asks for it and closes it whatever happens. */
export const withStore =
  (open: Open) =>
  (made: AdminCommand): Command => ({
    ...made,
    prints: 'json',
    async run(given) {
      let opened: Promise<Store> | undefined
      const store = () => {
        opened ??= open()
        return opened
      }
      try {
        return await made.run({ ...given, store })
      } finally {
        await (await opened?.catch(() => undefined))?.close()
      }
    },
  })
