import type { Noun } from '../../terminal/command.ts'
import { EXIT, Failure } from '../../terminal/failures.ts'
import { readHost } from '../connection/config.ts'
import { readPreferences, SETTINGS, writePreferences } from '../connection/settings.ts'
import { timeoutSeconds } from '../connection/transport.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const name = { help: 'Setting', values: Object.keys(SETTINGS) }
const details = Object.entries(SETTINGS)
  .map(([name, { variable, help }]) => `  ${name.padEnd(8)} ${help}; ${variable} overrides it`)
  .join('\n')

/** Validated now rather than at every later command. */
const CHECKS: Partial<Record<string, (text: string) => string>> = {
  host: readHost,
  timeout: (text) => String(timeoutSeconds({ GOLDMASTER_TIMEOUT: text })),
}

const get = command({
  name: 'get',
  summary: 'Print a setting',
  offline: true,
  args: { name },
  details,
  examples: ['config get pager'],
  run({ args, env, out }) {
    const value = readPreferences(env).settings[args.name]
    if (value === undefined)
      throw new Failure(`${args.name} is not set. To set it, run: goldmaster config set ${args.name} VALUE`, EXIT.notFound)
    out.line(value)
  },
})

const set = command({
  name: 'set',
  summary: 'Save a setting for all later commands',
  offline: true,
  args: { name, value: { help: 'Value; "" removes the setting' } },
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
  summary: 'List your settings',
  offline: true,
  details,
  examples: ['config list'],
  run({ env, out }) {
    const rows = Object.entries(readPreferences(env).settings).map(([name, value]) => ({ name, value }))
    out.list('settings', rows, ['name', 'value'], 'Set one with goldmaster config set.')
  },
})

export const config: Noun = { name: 'config', summary: SUMMARIES.config, commands: [get, set, list] }
