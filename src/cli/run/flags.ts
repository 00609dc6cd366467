import { Failure } from '../../terminal/failures.ts'
import type { Flags } from '../../terminal/flags.ts'
import { readHost } from '../connection/config.ts'
import { webhookSecretIn } from '../connection/webhook-signature.ts'
import type { Measure } from './ci.ts'
import { BuildService } from './service.ts'
import { Spool } from './spool.ts'

const MEASURE = /^([^=]+)=(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) *(\D.*)?$/i

function measure(text: string): Measure {
  const [, name, value, unit] = MEASURE.exec(text) ?? []
  if (name === undefined) throw new Error('It must be a name and a number, with its unit or without, such as package=4.2GB.')
  return { name, value: Number(value), ...(unit !== undefined && { unit }) }
}

/** Flags that identify a build, for every command that reports one. */
export const BUILD_FLAGS = {
  job: { help: 'what the CI calls the thing it builds again and again (default: as the CI says)', value: 'name' },
  number: { help: 'which run of it this is (default: as the CI says, else the time)', value: 'number' },
  branch: { help: 'the branch or stream that is built (default: as the CI says)', value: 'name' },
  changelist: { help: 'the changelist that is built (default: as the CI says)', value: 'number' },
  commit: { help: 'the commit that is built (default: as the CI says)', value: 'hash' },
  kind: { help: 'regular, preflight (not on the branch yet) or bisect (default: from the CI)', value: 'name' },
  shelf: { help: 'shelved changelist of this build; makes it a preflight', value: 'number' },
  pull_request: { help: 'pull request of this build; makes it a preflight (default: from the CI)', value: 'number' },
  target_branch: { help: 'target branch of the pull request (default: from the CI)', value: 'name' },
  url: { help: 'the page of the build in the CI (default: as the CI says)', value: 'url' },
  engine: { help: 'unreal, unity or custom (default: by the command)', value: 'name' },
  platform: { help: 'what it is built for, such as Win64 or PS5', value: 'name' },
  configuration: { help: 'how it is built, such as Shipping', value: 'name' },
  agent: { help: 'the machine that builds', value: 'name' },
  measure: {
    help: 'a number of this build, such as package=4.2GB; may be given several times',
    value: 'name=value',
    many: true,
    read: measure,
  },
  host: { help: 'the service, such as https://gold.example (or GOLDMASTER_HOST)', value: 'url' },
  token: {
    help: 'the webhook token of the CI integration; better in GOLDMASTER_WEBHOOK_TOKEN, where nobody sees it',
    value: 'token',
  },
} as const satisfies Flags

interface Reached {
  service: BuildService
  spool: Spool
  token: string
}

/** The service from flags and environment, or an error that says what is missing. */
export function serviceOf(flags: { host?: string; token?: string }, env: NodeJS.ProcessEnv): Reached {
  const host = flags.host || env.GOLDMASTER_HOST
  const token = (flags.token || env.GOLDMASTER_WEBHOOK_TOKEN)?.trim()
  if (!host) throw new Failure('no service is named; set GOLDMASTER_HOST')
  if (!token) throw new Failure('no webhook token is given; set GOLDMASTER_WEBHOOK_TOKEN')
  const site = readHost(host)
  return { service: new BuildService(site, token, webhookSecretIn(env)), spool: new Spool(env, site, token), token }
}

/** From the build's command, if not given. */
export const engineOf = (named: string | undefined, command: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  named ||
  env.GOLDMASTER_ENGINE ||
  (/RunUAT|Unreal/.test(command.join(' ')) ? 'unreal' : /unity/i.test(command.join(' ')) ? 'unity' : undefined)
