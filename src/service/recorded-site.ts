import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './environment.ts'

/** The file with the service's URL, for commands that are started without its settings. */
const fileIn = (dataDir: string) => join(dataDir, 'address')

/** Only next to the embedded database: with another one, commands need the settings of the service anyway. */
export function recordSite({ databaseUrl, dataDir, site }: Settings) {
  if (databaseUrl === undefined) writeFileSync(fileIn(dataDir), `${site}\n`)
}

/** The URL from the command's own settings, otherwise the last one of the service. */
export function siteOf({ site, isSiteGiven, dataDir }: Settings): string {
  if (isSiteGiven) return site
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim()
  } catch {
    return site
  }
}
