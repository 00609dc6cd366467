import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM } from './built.ts'
import { freePort } from './servers/free-port.ts'

export interface DemoService {
  site: string
  /** Its DATA_DIR. */
  folder: string
  email: string
  password: string
  token: string
  stop(): Promise<void>
}

/** The built service with the demo studio, in a data folder that is deleted at the end. */
export async function startDemo(port?: number): Promise<DemoService> {
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-demo-'))
  const listening = port ?? (await freePort())
  // The caller's settings must not point the demo at a real database or mail server.
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: folder,
    env: { PATH, HOME, PORT: String(listening), DATA_DIR: folder, LOG_LEVEL: 'silent', LIMIT_REQUESTS_PER_IP: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
    rmSync(folder, { recursive: true, force: true })
  }
  let printed = ''
  for await (const chunk of child.stderr) {
    printed += chunk
    if (printed.includes('Report a build')) break
  }
  const after = (label: string) => new RegExp(`${label} +(\\S+)`).exec(printed)?.[1]
  const [email, password, token] = [after('Email'), after('Password'), after('API token')]
  if (!email || !password || !token) {
    await stop()
    throw new Error(`The demo didn't start:\n${printed}`)
  }
  return { site: `http://localhost:${listening}`, folder, email, password, token, stop }
}
