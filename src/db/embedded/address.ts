import { createHash } from 'node:crypto'
import { lstat, readlink, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { windowsUrl } from './windows.ts'

/** The socket is named `.s.PGSQL.<port>`, so the port is only a part of its name. */
export const PORT = 5432
// The longest path to a socket: 107 bytes on Linux, 103 on macOS.
const LONGEST = 103

/** A connection string for `pg` and for psql alike. */
export async function urlOf(cluster: string, database: string): Promise<string> {
  if (process.platform === 'win32') return windowsUrl(cluster, database)
  const host = encodeURIComponent(await socketFolder(cluster))
  return `postgresql://goldmaster@/${database}?host=${host}&port=${PORT}&sslmode=disable`
}

/** The socket is in the cluster's folder, which only its owner and root can access; a long path is shortened with a link. */
async function socketFolder(cluster: string): Promise<string> {
  if (fits(cluster)) return cluster
  const name = `goldmaster-${process.getuid?.()}-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`
  const link = [tmpdir(), '/tmp'].map((folder) => join(folder, name)).find(fits)
  if (!link) throw new Error(`The path ${cluster} is too long for a socket: set DATA_DIR to a shorter one.`)
  await symlink(cluster, link).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  // Another user's link of that name could lead to their server.
  const found = await lstat(link)
  const ours = found.isSymbolicLink() && found.uid === process.getuid?.() && (await readlink(link)) === cluster
  if (!ours) throw new Error(`${link} is not a link to ${cluster} made by this user: remove it.`)
  return link
}

const fits = (folder: string): boolean => Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= LONGEST
