import { cpSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROGRAM } from '../support/built.ts'
import { freePort } from '../support/servers/free-port.ts'
import { until } from '../support/until.ts'
import type { WindowsMachine } from './machine.ts'

const STARTS = 3

/** The service, installed on a Windows machine. */
export class WindowsService {
  readonly site: string
  readonly #machine: WindowsMachine
  readonly #env: Record<string, string>
  readonly #main: string
  #running: Promise<{ err: Buffer }> = Promise.resolve({ err: Buffer.of() })

  private constructor(machine: WindowsMachine, site: string, env: Record<string, string>) {
    this.#machine = machine
    this.site = site
    this.#env = { PORT: new URL(site).port, DEMO: 'off', LOG_LEVEL: 'warn', ...env }
    this.#main = `${machine.folder}\\program\\dist\\main.js`
  }

  static async install(machine: WindowsMachine, env: Record<string, string>): Promise<WindowsService> {
    const dist = dirname(PROGRAM)
    cpSync(dist, machine.path(`${machine.folder}\\program\\dist`), { recursive: true })
    cpSync(join(dist, '../package.json'), machine.path(`${machine.folder}\\program\\package.json`))
    return new WindowsService(machine, `http://127.0.0.1:${await freePort()}`, env)
  }

  /** Starts it and waits until it is ready. On a busy machine a connection may take too long: it is then started again, as a service manager does. */
  async start(env: Record<string, string> = {}) {
    rmSync(this.#machine.path(`${this.#machine.folder}\\kill`), { force: true })
    // A process that is ended from outside: the tests only share files with it.
    this.#machine.write(
      'serves.cjs',
      `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(this.#main)}, 'serve'], { stdio: ['ignore', 'inherit', 'inherit'] })
       child.on('exit', () => process.exit())
       setInterval(() => require('node:fs').existsSync('kill') && child.kill('SIGKILL'), 50)`,
    )
    for (let attempt = 1; !(await this.#tryStart(env)); attempt++)
      if (attempt === STARTS) throw new Error(`It did not start: ${(await this.#running).err}`)
  }

  async #tryStart(env: Record<string, string>): Promise<boolean> {
    let ended = false
    this.#running = this.#machine.run(this.#machine.node, ['serves.cjs'], { env: { ...this.#env, ...env } })
    void this.#running.then(() => {
      ended = true
    })
    const isReady = () =>
      fetch(`${this.site}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(async () => ended || (await isReady()))
    return !ended
  }

  async kill() {
    this.#machine.write('kill', '')
    await this.#running
  }

  /** `goldmaster admin` with these words. */
  async admin(words: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const given = { env: { ...this.#env, ...env } }
    const { code, out, err } = await this.#machine.run(this.#machine.node, [this.#main, 'admin', ...words], given)
    if (code !== 0) throw new Error(`${code}: ${err}`)
    return out.toString()
  }
}

/** Reports a build of the job Game until it is accepted, as tools do. */
export const reportBuild = (site: string, token: string, number: string, status: string) =>
  until(() =>
    fetch(`${site}/webhooks/ci`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-token': token },
      body: JSON.stringify({ job_name: 'Game', build_number: number, status }),
    }).then(
      (answer) => answer.status === 200,
      () => false,
    ),
  )

/** The numbers of the known builds, in their order. */
export async function buildNumbers(site: string, token: string, project: number): Promise<string[]> {
  let builds: { build_number: string }[] = []
  await until(async () => {
    const answer = await fetch(`${site}/api/v1/projects/${project}/build_runs`, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) return false
    builds = ((await answer.json()) as { build_runs: typeof builds }).build_runs
    return true
  })
  return builds.map((each) => each.build_number).sort()
}
