import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'

// On Windows Node and PostgreSQL share no socket type: a port on the loopback address, with a password.

const LOGIN_FILE = 'goldmaster-login.json'

// Without pipes: the server would inherit them and keep them open.
const run = (program: string, args: string[]) => once(spawn(program, args, { stdio: 'ignore' }), 'exit')

/** A port and a password for a new cluster, and initdb's arguments for them. */
export async function windowsSettings(draft: string) {
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  const passwordFile = `${draft}.password`
  await writeFile(passwordFile, password, { mode: 0o600 })
  return {
    settings: { port: String(port), listen_addresses: '127.0.0.1' },
    passwordFile,
    loginFile: LOGIN_FILE,
    login: JSON.stringify({ port, password }),
  }
}

export async function windowsUrl(cluster: string, database: string): Promise<string> {
  const { port, password } = JSON.parse(await readFile(join(cluster, LOGIN_FILE), 'utf8'))
  return `postgresql://goldmaster:${password}@127.0.0.1:${port}/${database}?sslmode=disable`
}

/** pg_ctl drops administrator rights, with which PostgreSQL would refuse to start. */
export const windowsStart = ({ pgCtl }: Binaries, cluster: string, log: string) =>
  run(pgCtl, ['start', '-W', '-s', '-D', cluster, '-l', log])

/** Whether the recorded process is a server of PostgreSQL: after a crash of the machine its number soon belongs to another program. */
export const windowsServes = async ({ pgCtl }: Binaries, cluster: string): Promise<boolean> =>
  (await run(pgCtl, ['status', '-D', cluster]))[0] === 0

/** Windows has no signals; pg_ctl uses the server's own pipe. */
export const windowsStop = ({ pgCtl }: Binaries, cluster: string) => run(pgCtl, ['stop', '-s', '-m', 'fast', '-D', cluster])

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
