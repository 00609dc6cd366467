import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localFolder } from '../connection/folders.ts'
import type { BuildService } from './service.ts'

/** The end of a build that could not be sent. */
interface Spooled {
  site: string
  /** A hash that identifies its token: another token may belong to another project. */
  token: string
  report: object
}

/** Half a megabyte each at most; the oldest are dropped. */
const FILES_MAX = 200
const SECONDS = 30

/** Ends of builds that are saved on disk until the service is back. */
export class Spool {
  readonly folder: string
  readonly #site: string
  readonly #token: string

  constructor(env: NodeJS.ProcessEnv, site: string, token: string) {
    this.folder = env.GOLDMASTER_SPOOL || join(localFolder(env), 'spool')
    this.#site = site
    this.#token = createHash('sha256').update(token).digest('hex').slice(0, 16)
  }

  /** Atomic. */
  add(report: object) {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const file = join(this.folder, `${Date.now()}-${randomUUID()}.json`)
    const spooled: Spooled = { site: this.#site, token: this.#token, report }
    writeFileSync(`${file}.new`, JSON.stringify(spooled), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    for (const old of this.#files().slice(0, -FILES_MAX)) rmSync(old, { force: true })
  }

  /** Sends what is saved for this service and token, oldest first, until one fails. If two processes send it, it counts once. */
  async flush(service: BuildService): Promise<{ sent: number; refused: string[]; left: number; why?: string }> {
    const waiting = this.#files().flatMap((file) => {
      const spooled = read(file)
      return spooled?.site === this.#site && spooled.token === this.#token ? [{ file, report: spooled.report }] : []
    })
    const refused: string[] = []
    for (const [index, { file, report }] of waiting.entries()) {
      const outcome = await service.report(report, SECONDS)
      if (outcome.kind === 'later')
        return { sent: index - refused.length, refused, left: waiting.length - index, why: outcome.why }
      if (outcome.kind === 'never') refused.push(outcome.why)
      rmSync(file, { force: true })
    }
    return { sent: waiting.length - refused.length, refused, left: 0 }
  }

  #files(): string[] {
    try {
      const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'))
      return names.sort().map((name) => join(this.folder, name))
    } catch {
      return []
    }
  }
}

/** Another run may have sent it meanwhile, or somebody may have edited it. */
function read(file: string): Spooled | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Spooled
  } catch {
    return undefined
  }
}
