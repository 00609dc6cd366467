import { OverBudget } from '../../../net/budget.ts'
import type { Transport } from '../../history/transport.ts'
import { number, text } from '../../reading.ts'
import { Refused } from '../ci-replies.ts'
import { depotPaths } from './history.ts'
import { print, TooLong } from './server.ts'
import { refreshStreams } from './server-streams.ts'
import { records } from './streams.ts'

const TIMEOUT_MS = 60_000
/** Of several changelists at once. */
const SEVERAL_BYTES = 16 * 1024 * 1024
/** From here on a message of the server is an error. */
const ERROR = 3

/** Runs the commands of an import with p4. */
export const perforce: Transport = {
  async send(path, { config, ...server }) {
    if (depotPaths(config).length === 0)
      throw new Refused('Depot paths must look like //game/main/..., separated by commas. Check them under Server access.')
    const words = path.split('\n')
    const isDescribe = words[0] === 'describe'
    const limits = { timeout: TIMEOUT_MS, ...(isDescribe && words.length > 3 && { limit: SEVERAL_BYTES }) }
    const output = await print(config, words, { ...server, ...limits }).catch((error: unknown) => {
      // Then they are described one by one, and a single one stays without its files.
      if (isDescribe && (error instanceof TooLong || error instanceof OverBudget)) return ''
      throw error
    })
    const answer = records(output)
    const told = answer.filter(({ data }) => data === undefined)
    const refusal = answer.find(({ severity }) => (number(severity) ?? 0) >= ERROR)
    // A server without that property, or a user who can't see it, has no review site. Of several changelists some may be refused.
    if (refusal === undefined || told.length > 0 || words[0] === 'property') return told
    throw new Refused(
      `Perforce refuses "p4 ${words[0]}": ${text(refusal.data)?.trim() ?? ''} Check the settings under Server access.`,
    )
  },
  prepare: refreshStreams,
}
