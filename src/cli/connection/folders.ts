import { homedir } from 'node:os'
import { join } from 'node:path'

type Environment = NodeJS.ProcessEnv

const windows = process.platform === 'win32'

/** The folder of a user's settings. On Windows it follows the user to other machines. */
export const configFolder = (env: Environment) =>
  join(env.XDG_CONFIG_HOME || (windows && env.APPDATA) || join(homedir(), '.config'), 'goldmaster')

/** The folder for what belongs to this machine only. */
export const localFolder = (env: Environment) =>
  windows && !env.XDG_CONFIG_HOME && env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'goldmaster') : configFolder(env)

/** The file of a user's preferences. */
export const preferencesFile = (env: Environment) => join(configFolder(env), 'config.json')
