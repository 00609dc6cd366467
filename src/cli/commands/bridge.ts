import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { backOff } from '../../contract/back-off.ts'
import type { Bridge } from '../bridge/bridge.ts'
import { bridgeLore } from '../bridge/lore.ts'
import { bridgePerforce } from '../bridge/perforce.ts'
import { BridgeRefused, post } from '../bridge/post.ts'
import { readHost } from '../connection/config.ts'
import { webhookSecretIn } from '../connection/webhook-signature.ts'
import { SUMMARIES } from '../summaries.ts'

interface Flags {
  host?: string
  url?: string
  token?: string
  state: string
  since?: number
  interval: number
  once?: true
  tool: string
}

const whole = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Relays for servers that cannot call out: they only make outgoing requests to the service. */
export function bridge(): Command {
  const noun = new Command('bridge').description(SUMMARIES.bridge)
  relay(noun, 'perforce', 'p4', bridgePerforce, 'changelist', 'Run it on a machine where p4 is signed in to the server.')
    .option('--path <path>', 'Only changes below this depot path, such as //depot/game/...')
    .option('--no-people', 'Do not send the users of the server, which are matched with members')
    .description('Report every changelist submitted to a Perforce server')
  relay(noun, 'lore', 'lore', bridgeLore, 'revision number', 'Run it inside a clone of the repository.').description(
    'Report every revision pushed to a Lore repository',
  )
  return noun
}

function relay(
  noun: Command,
  name: string,
  tool: string,
  run: (bridge: Bridge, flags: never) => Promise<void>,
  counted: string,
  where: string,
): Command {
  return noun
    .command(name)
    .option('--host <url>', 'Service URL, such as https://gold.example (or GOLDMASTER_HOST)')
    .option('--url <url>', 'Old name of --host (or GOLDMASTER_URL)')
    .option('--token <token>', 'Webhook token of the integration; GOLDMASTER_WEBHOOK_TOKEN is safer')
    .option('--state <file>', 'File that stores what was already reported', `goldmaster-bridge-${name}.json`)
    .option('--since <number>', `On the first run, start after this ${counted} instead of the newest`, whole)
    .option('--interval <seconds>', 'Seconds between checks', whole, 10)
    .option('--once', 'Report what is new and exit')
    .option('--tool <path>', `Path of the ${tool} client`, tool)
    .addHelpText(
      'after',
      `\n${where}\nIt only makes outgoing connections: to the server and to the service.\nIf the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET to sign every request.\n\nExamples:\n  GOLDMASTER_WEBHOOK_TOKEN=… goldmaster bridge ${name} --host https://gold.example`,
    )
    .action((flags: Flags, command: Command) => start(name, flags, run, command))
}

async function start(name: string, flags: Flags, run: (bridge: Bridge, flags: never) => Promise<void>, command: Command) {
  const token = flags.token ?? process.env.GOLDMASTER_WEBHOOK_TOKEN
  const named = flags.host ?? flags.url ?? process.env.GOLDMASTER_HOST ?? process.env.GOLDMASTER_URL
  if (!named) command.error('error: missing service URL: pass --host or set GOLDMASTER_HOST')
  if (!token) command.error('error: missing webhook token: set GOLDMASTER_WEBHOOK_TOKEN or pass --token')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const say = (text: string) => void process.stderr.write(`${new Date().toISOString()} ${text}\n`)
  const send = (path: string) => (body: unknown) =>
    post({
      url: `${readHost(named)}/webhooks/${path}`,
      token,
      secret: webhookSecretIn(process.env),
      body,
      signal: stop.signal,
      say,
    })
  const tellPeople = send('people')
  const bridge: Bridge = {
    ...flags,
    since: flags.since,
    once: flags.once ?? false,
    signal: stop.signal,
    say,
    tell: send(name),
    tellPeople: (list) => tellPeople({ list }),
  }
  await keepOn(bridge, () => run(bridge, flags as never))
}

const LONGEST_WAIT_MS = 60_000

/** An unreachable server is retried with growing delays; a permanent refusal of the service ends the bridge. */
async function keepOn({ once, interval, signal, say }: Bridge, round: () => Promise<void>) {
  for (let trouble = 0; !signal.aborted; ) {
    try {
      await round()
      trouble = 0
    } catch (error) {
      if (signal.aborted) return
      if (once || error instanceof BridgeRefused) throw error
      trouble++
      say((error as Error).message)
    }
    if (once) return
    const pause = trouble === 0 ? interval * 1000 : backOff(trouble, { first: 2_000, longest: LONGEST_WAIT_MS })
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
