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
  if (name === undefined) throw new Error('It must be name=number with an optional unit, such as package=4.2GB.')
  return { name, value: Number(value), ...(unit !== undefined && { unit }) }
}

/** Flags that identify a build, for every command that reports one. */
export const BUILD_FLAGS = {
  job: { help: 'CI job name (default: from the CI)', value: 'name' },
  number: { help: 'Build number (default: from the CI, else the time)', value: 'number' },
  branch: { help: 'Branch or stream (default: from the CI)', value: 'name' },
  changelist: { help: 'Changelist (default: from the CI)', value: 'number' },
  commit: { help: 'Commit (default: from the CI)', value: 'hash' },
  kind: { help: 'Build kind: regular, preflight (not on the branch yet) or bisect (default: from the CI)', value: 'name' },
  shelf: { help: 'Shelved changelist; makes the build a preflight', value: 'number' },
  pull_request: { help: 'Pull request; makes the build a preflight (default: from the CI)', value: 'number' },
  target_branch: { help: 'Target branch of the pull request (default: from the CI)', value: 'name' },
  url: { help: 'URL of the build in the CI (default: from the CI)', value: 'url' },
  engine: { help: 'Game engine: unreal, unity or custom (default: from the command)', value: 'name' },
  platform: { help: 'Target platform, such as Win64 or PS5', value: 'name' },
  configuration: { help: 'Build configuration, such as Shipping', value: 'name' },
  agent: { help: 'Build agent (machine name)', value: 'name' },
  measure: {
    help: 'Measure of this build, such as package=4.2GB (repeatable)',
    value: 'name=value',
    many: true,
    read: measure,
  },
  host: { help: 'Service URL, such as https://gold.example (or GOLDMASTER_HOST)', value: 'url' },
  token: {
    help: 'Webhook token of the CI integration; GOLDMASTER_WEBHOOK_TOKEN is safer',
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
  if (!host) throw new Failure('set GOLDMASTER_HOST to the service URL.')
  if (!token) throw new Failure('set GOLDMASTER_WEBHOOK_TOKEN to the webhook token of the CI integration.')
  const site = readHost(host)
  return { service: new BuildService(site, token, webhookSecretIn(env)), spool: new Spool(env, site, token), token }
}

/** From the build's command, if not given. */
export const engineOf = (named: string | undefined, command: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  named ||
  env.GOLDMASTER_ENGINE ||
  (/RunUAT|Unreal/.test(command.join(' ')) ? 'unreal' : /unity/i.test(command.join(' ')) ? 'unity' : undefined)
