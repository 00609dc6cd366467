import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Header, verifyArchive } from '../../db/backup/archive.ts'
import { type CopyProgress, dump } from '../../db/backup/dump.ts'
import { PassphraseRefused, packed, unpacked } from '../../db/backup/encryption.ts'
import { refuseNewer, restore as restoreInto } from '../../db/backup/restore.ts'
import { isSealedWith } from '../../domain/access/secret-canary.ts'
import { usage } from '../../terminal/failures.ts'
import { reasonOf, unreadable } from '../../terminal/given-text.ts'
import { type Open, type RawDatabase, rawDatabaseCommand } from '../command.ts'
import { passphraseFlag, passphraseIn } from '../export.ts'
import { showProgress } from '../progress.ts'
import { isStored, openStored } from './stored-backups.ts'

const PASSPHRASE_FLAG = {
  ...passphraseFlag,
  help: 'File with the passphrase in its first line (default: BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE)',
} as const

/** The passphrase of the service's own backups, unless another file is given. Never an argument: others can see those. */
export async function backupPassphrase(file: string | undefined): Promise<string | undefined> {
  const { BACKUP_PASSPHRASE, BACKUP_PASSPHRASE_FILE } = process.env
  return (await passphraseIn(file || BACKUP_PASSPHRASE_FILE || undefined)) ?? (BACKUP_PASSPHRASE || undefined)
}

export const backup = rawDatabaseCommand({
  name: 'backup',
  summary: 'Back up all data to one file while the service runs',
  args: {
    file: { help: 'Output file, or - for standard output (default: goldmaster-<time>.backup in this folder)', optional: true },
  },
  flags: { passphrase_file: PASSPHRASE_FLAG },
  details:
    'The backup has a consistent copy of the database, the attached files and the key from DATA_DIR: keep it private. A key set as SECRET_KEY and files in an object store are not included.\nWith a passphrase the backup is encrypted in the age format; age -d can decrypt it.\nScheduled backups go to a folder or the object store: see BACKUP_TO in docs/configuration.md.',
  examples: [
    'admin backup',
    'admin backup /mnt/backups/monday.backup.age --passphrase-file phrase.txt',
    'admin backup - | age -r age1… > monday.backup.age',
  ],
  async run({ args, flags: { passphrase_file }, out, store }) {
    if (args.file !== undefined && args.file !== '-') await refuseExisting(args.file)
    const passphrase = await backupPassphrase(passphrase_file)
    const database = await store()
    const file = args.file ?? `goldmaster-${stampOf(new Date())}.backup${passphrase === undefined ? '' : '.age'}`
    const secretKey = database.secretKey === undefined ? (database.keptSecret.read() ?? null) : null
    const copied = await withProgress((onProgress) => {
      const copied = packed(dump(database.url, { secretKey, files: database.files, onProgress }), passphrase)
      return file === '-' ? pipeline(copied, process.stdout, { end: false }) : writeWhole(copied, file)
    })
    if (file === '-') return
    const path = resolve(file)
    const bytes = (await stat(path)).size
    const made = {
      file: path,
      bytes,
      tables: copied.tables,
      rows: copied.rows,
      encrypted: passphrase !== undefined,
      secret_key: secretKey !== null,
    }
    out.answer(made, () => {
      out.line(`Wrote ${path}: ${copied.rows.toLocaleString('en')} rows, ${bytes.toLocaleString('en')} bytes.`)
      if (passphrase !== undefined) out.line('It is encrypted. You need the passphrase to restore it.')
      if (secretKey === null) out.line('SECRET_KEY is not in the backup. Store it separately; you need both to restore.')
    })
  },
})

export const restore = (storedBackups: Open['storedBackups']) =>
  rawDatabaseCommand({
    name: 'restore',
    makes: true,
    summary: 'Restore a backup into an empty database',
    args: { file: { help: 'Backup file, or object-store:PREFIX/NAME for one in the object store' } },
    flags: {
      replace: { help: 'Delete the current data first; stop the service before' },
      passphrase_file: PASSPHRASE_FLAG,
    },
    details:
      'Restores into the database of DATA_DIR or DATABASE_URL, on any supported PostgreSQL version, and upgrades the data to this version of Goldmaster.\nIt restores everything or, on an error, nothing. Backups of a newer Goldmaster are refused.',
    examples: [
      '$ DATA_DIR=/var/lib/goldmaster goldmaster admin restore monday.backup',
      'admin restore monday.backup --replace',
      'admin restore object-store:backups/goldmaster-2026-11-17T023000.backup.age',
    ],
    async run({ args: { file }, flags: { replace, passphrase_file }, out, store }) {
      const read = isStored(file) ? await openStored(storedBackups, file) : await openFile(file)
      const passphrase = await backupPassphrase(passphrase_file)
      const header = await verifyArchive(unpacked(read(), passphrase)).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof PassphraseRefused) throw usage(error.message)
        throw error.code?.startsWith('Z_') ? unreadable(file, error) : error
      })
      refuseNewer(header)
      const database = await store()
      const keep = secretToKeep(header, database, replace)
      const { tables, rows } = await withProgress((onProgress) =>
        restoreInto(database.url, unpacked(read(), passphrase), {
          replace,
          log: database.log,
          files: database.files,
          onProgress,
        }),
      )
      if (keep !== undefined) database.keptSecret.write(keep)
      const { made_at, version } = header
      out.answer({ made_at, version, tables, rows }, () =>
        out.line(`Restored ${rows.toLocaleString('en')} rows as they were on ${made_at}.`),
      )
    },
  })

/** Reads a backup file as often as needed. */
async function openFile(file: string): Promise<() => AsyncIterable<Buffer>> {
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if ((await stat(file)).isDirectory())
    throw usage(`${file} is a folder. Pass the backup file, such as ${join(file, 'goldmaster-….backup')}`)
  return () => createReadStream(file)
}

export const move = rawDatabaseCommand({
  name: 'move',
  summary: 'Copy all data to your own empty PostgreSQL database',
  flags: {
    to: { help: 'URL of the target database, postgres://…', value: 'url', required: true, read: databaseUrl },
    replace: { help: 'Delete the data in the target database first' },
  },
  details: 'Stop the service first. The target needs PostgreSQL 15 or newer with UTF8. The source stays unchanged.',
  examples: ['admin move --to postgres://goldmaster:secret@db.example/goldmaster'],
  async run({ flags: { to, replace }, out, store }) {
    const { url, secretKey, keptSecret, log } = await store()
    const { tables, rows } = await withProgress((onProgress) =>
      restoreInto(to, dump(url, { secretKey: null, alone: true }), { replace, log, onProgress }),
    )
    out.answer({ tables, rows }, () => {
      out.line(`Copied ${rows.toLocaleString('en')} rows. From now on start the service with DATABASE_URL set to that URL`)
      out.line(
        `and with ${secretKey === undefined ? `SECRET_KEY set to the content of ${keptSecret.path}` : 'the same SECRET_KEY'}.`,
      )
    })
  },
})

/** The key to store for the restored data, if any; refused if nothing could decrypt it. */
function secretToKeep(header: Header, { secretKey, keptSecret }: RawDatabase, replace: boolean): string | undefined {
  const { secret_key, canary } = header
  const fits = (secret: string) => canary === null || isSealedWith(secret, canary)
  if (secretKey !== undefined) {
    if (!fits(secretKey))
      throw usage('SECRET_KEY is not the key of this backup. Set SECRET_KEY to the key that the service used then.')
    return undefined
  }
  const kept = keptSecret.read()
  if (kept !== undefined && fits(kept)) return undefined
  if (secret_key === null) throw usage('The key is not in this backup. Set SECRET_KEY to the key that the service used then.')
  if (kept !== undefined && !replace)
    throw usage(`${keptSecret.path} has another key. Move the file away, or pass --replace to overwrite it.`)
  return secret_key
}

function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Error('It must start with postgres://')
  return text
}

/** Refused before hours of work. */
async function refuseExisting(file: string) {
  if (await stat(file).catch(() => undefined)) throw usage(`${file} already exists. Choose another name.`)
}

export const openBackup = (file: string, passphrase: string | undefined) => unpacked(createReadStream(file), passphrase)

/** A file with its final name is complete, and only its owner can read it. */
async function writeWhole(source: AsyncIterable<Buffer>, file: string) {
  const part = `${file}.part`
  try {
    await pipeline(source, createWriteStream(part, { mode: 0o600, flush: true }))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw (error as NodeJS.ErrnoException).syscall ? usage(`Can't write ${file}: ${reasonOf(error)}`) : error
  }
}

async function withProgress(work: (onProgress: (progress: CopyProgress) => void) => Promise<unknown>): Promise<CopyProgress> {
  const progress = showProgress(process.stderr)
  let last: CopyProgress = { tables: 0, of: 0, rows: 0 }
  try {
    await work((now) => {
      last = now
      progress.update({ [`of ${now.of} tables`]: now.tables, rows: now.rows })
    })
  } finally {
    progress.clear()
  }
  return last
}

const stampOf = (time: Date) => time.toISOString().slice(0, 19).replaceAll(':', '')
