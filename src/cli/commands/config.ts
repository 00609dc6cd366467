import type { Noun } from '../../terminal/command.ts'
import { EXIT, Failure } from '../../terminal/failures.ts'
import { readHost } from '../connection/config.ts'
import { readPreferences, SETTINGS, writePreferences } from '../connection/settings.ts'
import { timeoutSeconds } from '../connection/transport.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const name = { help: 'which one', values: Object.keys(SETTINGS) }
const details = Object.entries(SETTINGS)
  .map(([name, { variable, help }]) => `  ${name.padEnd(8)} ${help} (${variable} comes first)`)
  .join('\n')

/** Validated now rather than at every later command. */
const CHECKS: Partial<Record<string, (text: string) => string>> = {
  host: readHost,
  timeout: (text) => String(timeoutSeconds({ GOLDMASTER_TIMEOUT: text })),
}

const get = command({
  name: 'get',
  summary: 'print a setting',
  offline: true,
  args: { name },
  details,
  examples: ['config get pager'],
  run({ args, env, out }) {
    const value = readPreferences(env).settings[args.name]
    if (value === undefined) throw new Failure(`${args.name} is not set.`, EXIT.notFound)
    out.line(value)
  },
})

const set = command({
  name: 'set',
  summary: 'keep a setting for all later commands',
  offline: true,
  args: { name, value: { help: 'its value; an empty one forgets it' } },
  details,
  examples: ["config set pager 'less -R'", 'config set host https://gold.example'],
  run({ args, env }) {
    const { settings, aliases } = readPreferences(env)
    if (args.value === '') delete settings[args.name]
    else settings[args.name] = CHECKS[args.name]?.(args.value) ?? args.value
    writePreferences(env, { settings, aliases })
  },
})

const list = command({
  name: 'list',
  summary: 'list your settings',
  offline: true,
  details,
  examples: ['config list'],
  run({ env, out }) {
    const rows = Object.entries(readPreferences(env).settings).map(([name, value]) => ({ name, value }))
    out.list('settings', rows, ['name', 'value'])
  },
})

export const config: Noun = { name: 'config', summary: SUMMARIES.config, commands: [get, set, list] }
