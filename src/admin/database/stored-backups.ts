import { usage } from '../../terminal/failures.ts'
import { main } from '../../terminal/table.ts'
import { type Open, rawDatabaseCommand } from '../command.ts'

/** Backups in the object store, as scheduled backups are written: `object-store:PREFIX/NAME`. */

const IN_STORE = 'object-store:'
const PREFIX = /^[\w.~-]+(\/[\w.~-]+)*$/

export const isStored = (place: string) => place.startsWith(IN_STORE)

function prefixIn(place: string): string {
  const prefix = place.slice(IN_STORE.length)
  if (!isStored(place) || !PREFIX.test(prefix))
    throw usage(`${place} is not a location in the object store. Write it like ${IN_STORE}backups`)
  return prefix
}

/** Reads a stored backup as often as needed. Refuses a name that the store does not have. */
export async function openStored(open: Open['storedBackups'], place: string): Promise<() => AsyncIterable<Buffer>> {
  const prefix = prefixIn(place)
  const slash = prefix.lastIndexOf('/')
  const folder = prefix.slice(0, Math.max(slash, 0))
  const name = prefix.slice(slash + 1)
  const backups = folder === '' ? undefined : await open(folder)
  const found = (await backups?.list())?.find((one) => one.name === name)
  if (!backups || !found)
    throw usage(`No backup ${place}. To see the backups, run goldmaster admin list-backups ${IN_STORE}${folder || prefix}`)
  return () => backups.read(name, found.bytes)
}

export const listBackups = (open: Open['storedBackups']) =>
  rawDatabaseCommand({
    name: 'list-backups',
    summary: 'List the backups in the object store, newest first',
    rows: 'backups',
    args: { place: { help: `Location such as ${IN_STORE}backups (default: BACKUP_TO)`, optional: true } },
    examples: ['admin list-backups', `admin list-backups ${IN_STORE}backups --pick '[0].place'`],
    async run({ args, out }) {
      const place = args.place ?? process.env.BACKUP_TO
      if (!place) throw usage(`Missing location. Pass one such as ${IN_STORE}backups, or set BACKUP_TO`)
      if (!isStored(place))
        throw usage(`${place} is a folder. To see its backups, use ls. For the object store, write ${IN_STORE}backups`)
      const stored = await (await open(prefixIn(place))).list()
      const backups = stored.map((one) => ({ place: `${place}/${one.name}`, bytes: one.bytes, stored_at: one.stored_at }))
      out.answer({ backups }, () => {
        if (backups.length > 0) out.table(backups, [{ ...main('place'), ends: true }, 'bytes', 'stored_at'])
        else out.note(`No backups in ${place} yet.`)
      })
    },
  })
