import type { Client } from '../../contract/client.ts'
import type { Run } from '../../terminal/command.ts'
import { usage } from '../../terminal/failures.ts'
import type { Arguments, Flags, GivenArguments, GivenFlags } from '../../terminal/flags.ts'
import type { Output } from '../../terminal/output.ts'
import { hostFor, sourceOf, tokenFor } from '../connection/config.ts'
import { type Chosen, chosenFor } from '../connection/folder.ts'
import { openClient, politely, type Send } from '../connection/requests.ts'

/** The parts of a run that helpers need. */
export type Reach = Pick<Call, 'client' | 'project' | 'page'>

interface Surroundings {
  env: NodeJS.ProcessEnv
  folder: string
}

/** One run of a command: its input, and its resources. Nothing is read before it is needed. */
export class Call<F extends Flags = Flags, A extends Arguments = Arguments> {
  readonly args: GivenArguments<A>
  readonly flags: GivenFlags<F>
  readonly out: Output
  readonly env: NodeJS.ProcessEnv
  readonly folder: string
  readonly #host: string | undefined
  readonly #project: string | undefined
  readonly #verbose: boolean
  #client: Client | undefined
  #site: string | undefined
  #chosen: (Chosen & { file: string }) | null | undefined

  constructor({ args, flags, out }: Run<F, A>, { env, folder }: Surroundings) {
    const { host, project, verbose } = flags as { host?: string; project?: string; verbose?: boolean }
    this.#verbose = verbose === true
    this.args = args
    this.flags = flags
    this.#host = host
    this.#project = project
    this.out = out
    this.env = env
    this.folder = folder
  }

  /** The project chosen for this folder, if any. */
  get chosen(): (Chosen & { file: string }) | undefined {
    if (this.#chosen === undefined) this.#chosen = chosenFor(this.folder) ?? null
    return this.#chosen ?? undefined
  }

  /** The URL of the service. */
  get site(): string {
    this.#site ??= hostFor(this.env, this.#host, this.#host || this.env.GOLDMASTER_HOST ? undefined : this.chosen?.host)
    return this.#site
  }

  get token(): string {
    return tokenFor(this.env, this.site).token
  }

  /** The source of the token. */
  get source(): string | undefined {
    return sourceOf(this.env, this.site)
  }

  get send(): Send {
    return politely(this.env, (text) => this.out.note(text), this.#verbose || Boolean(this.env.GOLDMASTER_DEBUG))
  }

  get client(): Client {
    this.#client ??= openClient(this.site, this.token, this.send)
    return this.#client
  }

  get project(): string {
    if (this.#project) return this.#project
    const chosen = this.chosen
    if (chosen?.host === this.site) return chosen.project
    const other = chosen ? ` (${chosen.file} is for ${chosen.host})` : ''
    throw usage(
      `No project chosen${other}. Pass --project ID, or choose one for this folder: goldmaster use PROJECT. To see your projects, run: goldmaster projects list`,
    )
  }

  /** A page of the web app. */
  page(path: string): string {
    return `${this.site}${path}`
  }
}
