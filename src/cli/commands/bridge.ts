import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
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
  relay(noun, 'perforce', 'p4', bridgePerforce, 'changelist')
    .option('--path <path>', 'only changes below this depot path, such as //depot/game/...')
    .description('watch a Perforce server with p4 and tell every submitted changelist')
  relay(noun, 'lore', 'lore', bridgeLore, 'revision number').description(
    'watch a Lore repository, from inside a clone of it, and tell every pushed revision',
  )
  return noun
}

function relay(
  noun: Command,
  name: string,
  tool: string,
  run: (bridge: Bridge, flags: never) => Promise<void>,
  counted: string,
): Command {
  return noun
    .command(name)
    .option('--host <url>', 'the service, such as https://gold.example (or GOLDMASTER_HOST)')
    .option('--url <url>', 'the same, by its older name (or GOLDMASTER_URL)')
    .option('--token <token>', 'the webhook token of the integration; better in GOLDMASTER_WEBHOOK_TOKEN, where nobody sees it')
    .option('--state <file>', 'where it remembers what it has told', `goldmaster-bridge-${name}.json`)
    .option('--since <number>', `on the first run, begin after this ${counted} instead of at the newest`, whole)
    .option('--interval <seconds>', 'how often to look', whole, 10)
    .option('--once', 'tell what is new and stop')
    .option('--tool <path>', `the ${tool} command line client`, tool)
    .addHelpText(
      'after',
      `\nIf the integration has a signing secret, set GOLDMASTER_WEBHOOK_SECRET to sign every request.\n\nExample:\n  GOLDMASTER_WEBHOOK_TOKEN=… goldmaster bridge ${name} --host https://goldmaster.example.com`,
    )
    .action((flags: Flags, command: Command) => start(name, flags, run, command))
}

async function start(name: string, flags: Flags, run: (bridge: Bridge, flags: never) => Promise<void>, command: Command) {
  const token = flags.token ?? process.env.GOLDMASTER_WEBHOOK_TOKEN
  const named = flags.host ?? flags.url ?? process.env.GOLDMASTER_HOST ?? process.env.GOLDMASTER_URL
  if (!named) command.error('error: --host or GOLDMASTER_HOST must name the service')
  if (!token) command.error('error: --token or GOLDMASTER_WEBHOOK_TOKEN is needed')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const say = (text: string) => void process.stderr.write(`${new Date().toISOString()} ${text}\n`)
  const url = `${readHost(named)}/webhooks/${name}`
  const bridge: Bridge = {
    ...flags,
    since: flags.since,
    once: flags.once ?? false,
    signal: stop.signal,
    say,
    tell: (body) => post({ url, token, secret: webhookSecretIn(process.env), body, signal: stop.signal, say }),
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
    const pause = trouble === 0 ? interval * 1000 : Math.min(1000 * 2 ** trouble, LONGEST_WAIT_MS)
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
