import { type Json, text } from '../../reading.ts'
import type { CheckedOut } from '../checked-out.ts'
import { isDepotPath } from './depot-path.ts'
import { type Perforce, session } from './server.ts'
import { records } from './streams.ts'

const TIMEOUT_MS = 5_000
const OUTPUT_MAX = 200_000
/** More people than a page shows. */
const OPENED_MAX = 20

/** Who has a file open for a change, in any workspace of the server. */
export const openedIn = (config: Readonly<Json>, path: string, perforce: Perforce): Promise<CheckedOut[]> =>
  isDepotPath(path)
    ? session(config, { ...perforce, timeout: TIMEOUT_MS, limit: OUTPUT_MAX }, async (ask) =>
        parseOpened(await ask(['opened', '-a', '-m', String(OPENED_MAX), path])),
      )
    : Promise.resolve([])

/** Parses `p4 -Mj -ztag opened -a`. */
export const parseOpened = (output: string): CheckedOut[] =>
  records(output).flatMap(({ user, client, action }) => {
    const name = text(user)
    return name === undefined ? [] : [{ name, workspace: text(client) ?? '', action: text(action) ?? 'edit' }]
  })
