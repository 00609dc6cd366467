import { lchown, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The system account for PostgreSQL if we are root, which it refuses to run as. */
export interface Account {
  uid: number
  gid: number
}

/** The owner of the cluster runs it; a new one belongs to `nobody`. Undefined: we are not root, so it runs as ourselves. */
export async function accountFor(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(cluster).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const account = await unprivileged()
  // A folder that root restored from a copy.
  if (owner) await giveTo(account, cluster)
  return account
}

async function unprivileged(): Promise<Account> {
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const wanted of ['nobody', 'daemon']) {
    const [, , uid, gid] = entries.find(([name]) => name === wanted) ?? []
    // macOS writes nobody as -2.
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL refuses to run as root and there is no user "nobody": start as another user, or set DATABASE_URL.')
}

async function giveTo({ uid, gid }: Account, folder: string): Promise<void> {
  await lchown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), uid, gid)
}
