import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLIENT } from '../built.ts'

interface Ended {
  code: number
  out: string
  err: string
}

interface Running {
  env?: Record<string, string>
  input?: string
  /** Called with everything written so far, whenever there is more; `end` stops the program, `type` answers it. */
  watch?: (written: string, end: () => void, type: (text: string) => void) => void
}

/** The shipped single-file client, with a separate home folder. */
export class CommandLine {
  readonly home = mkdtempSync(join(tmpdir(), 'goldmaster-cli-'))
  readonly env: Record<string, string>

  constructor(env: Record<string, string> = {}) {
    this.env = env
  }

  /** Piped, as scripts run it. */
  run(args: readonly string[], running: Running = {}): Promise<Ended> {
    return this.#spawn(process.execPath, [CLIENT, ...args], running)
  }

  /** In a pseudo-terminal, as people run it; both outputs are combined. */
  terminal(args: readonly string[], running: Running & { columns?: number; rows?: number } = {}): Promise<Ended> {
    const words = [process.execPath, CLIENT, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    const line = `stty cols ${running.columns ?? 100} rows ${running.rows ?? 40}; ${words}`
    return this.#spawn('script', ['-qec', line, '/dev/null'], { ...running, env: { TERM: 'xterm', ...running.env } })
  }

  close() {
    rmSync(this.home, { recursive: true, force: true })
  }

  #spawn(program: string, args: readonly string[], { env = {}, input, watch }: Running): Promise<Ended> {
    const { NO_COLOR, FORCE_COLOR, GOLDMASTER_TOKEN, GOLDMASTER_HOST, BROWSER, GITHUB_ACTIONS, BUILDKITE, ...own } = process.env
    const child = spawn(program, args, {
      cwd: this.home,
      env: { ...own, PAGER: 'cat', XDG_CONFIG_HOME: join(this.home, 'config'), ...this.env, ...env },
      detached: true,
    })
    const end = () => {
      try {
        process.kill(-child.pid!, 'SIGTERM')
      } catch {}
    }
    const type = (text: string) => void child.stdin.write(text)
    const ended: Ended = { code: -1, out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      ended.out += chunk
      watch?.(ended.out + ended.err, end, type)
    })
    child.stderr.on('data', (chunk) => {
      ended.err += chunk
      watch?.(ended.out + ended.err, end, type)
    })
    if (input !== undefined) child.stdin.end(input)
    else if (program !== 'script') child.stdin.end()
    return new Promise((done) => {
      child.on('close', (code) => {
        child.stdin.destroy()
        done({ ...ended, code: code ?? -1 })
      })
    })
  }
}
