import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../terminal/failures.ts'
import { preferencesFile } from './folders.ts'

/** A user's preferences for every run; the environment has priority. */
interface Preferences {
  settings: Record<string, string>
  aliases: Record<string, string>
}

export function readPreferences(env: NodeJS.ProcessEnv): Preferences {
  const file = preferencesFile(env)
  try {
    const { settings, aliases } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Preferences>
    return { settings: { ...settings }, aliases: { ...aliases } }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { settings: {}, aliases: {} }
    throw new Failure(`Can't read ${file}: ${(error as Error).message}`)
  }
}

export function writePreferences(env: NodeJS.ProcessEnv, preferences: Preferences): void {
  const file = preferencesFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify(preferences, null, 2)}\n`)
}

/** The settings, and the environment variable that each stands for. */
export const SETTINGS: Readonly<Record<string, { variable: string; help: string }>> = {
  host: { variable: 'GOLDMASTER_HOST', help: 'Service URL for all commands' },
  pager: { variable: 'GOLDMASTER_PAGER', help: 'Pager for long output; cat turns it off' },
  browser: { variable: 'BROWSER', help: 'Browser for --web, open and login' },
  timeout: { variable: 'GOLDMASTER_TIMEOUT', help: 'Seconds to wait for a response (default: 30)' },
}

/** Fills in missing environment variables. */
export function applySettings(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(readPreferences(env).settings)) {
    const setting = SETTINGS[name]
    // An empty variable is a choice, too: no pager, for example.
    if (setting && env[setting.variable] === undefined) env[setting.variable] = value
  }
}
