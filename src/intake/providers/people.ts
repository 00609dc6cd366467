import { cannotImport } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import type { ListedPerson } from '../../domain/accounts/people-list.ts'
import { withServer } from '../../domain/integrations/polled.ts'
import { NoAnswer, Unreachable } from '../../net/safe-fetch.ts'
import { Limited } from '../history/ask.ts'
import type { JobContext } from '../job-context.ts'
import { BY_SETTINGS, listOf, reach } from '../reach/reach.ts'
import { providers } from './index.ts'
import { abilitiesOf, servers } from './servers.ts'
import { slackTokens, slackUsers } from './slack-users.ts'
import { type AskedServer, listUsers } from './user-list.ts'

const isTool = (name: string): name is ProviderName => Object.hasOwn(servers, name)

/** Tools whose server lists its users with addresses that it has verified. */
export const canListUsers = (name: string): boolean => isTool(name) && abilitiesOf(name).users !== undefined

/** People wait for the reply. */
const TIMEOUT_MS = 60_000

type Outside = Pick<JobContext, 'db' | 'vault' | 'allowed'> & { slackApi?: string | undefined }

const SLACK_API = 'https://slack.com/api'

/** The servers of a tool that the account has connected. */
async function serversOf(outside: Outside, accountId: number, provider: string) {
  const { db, vault, allowed, slackApi = SLACK_API } = outside
  if (provider === 'slack') {
    const servers = (await slackTokens(db, vault, accountId)).map((api_token) => ({
      config: { server: slackApi, api_token },
      allowed,
    }))
    if (servers.length === 0)
      throw cannotImport('No Slack bot is connected. Connect one under Channels, or paste a list of users.')
    const source = (server: AskedServer) => listUsers({ label: 'Slack', name: 'slack' }, slackUsers, server)
    return { label: 'Slack', source, servers }
  }
  const users = isTool(provider) ? abilitiesOf(provider).users : undefined
  if (!users) throw cannotImport('This tool can’t be asked for its users. Paste a list of them.')
  const tool = providers[provider as ProviderName]
  const { label } = tool
  const source = typeof users === 'function' ? users : (server: AskedServer) => listUsers(tool, users, server)
  const connected = await withServer(db, tool.name, accountId)
  if (connected.length === 0)
    throw cannotImport(`No ${label} integration has server access. Enter it there, or paste a list of users.`)
  const servers: AskedServer[] = []
  for (const integration of connected) {
    const { every_place, entries } = await listOf(db, integration)
    servers.push({ config: await reach(outside, integration, BY_SETTINGS), allowed, ...(!every_place && { places: entries }) })
  }
  return { label, source, servers }
}

/** The users of all servers of a tool that the account has connected. */
export async function askForPeople(outside: Outside, accountId: number, provider: string): Promise<ListedPerson[]> {
  const { label, source, servers } = await serversOf(outside, accountId, provider)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const listed = new Map<string, ListedPerson>()
  try {
    for (const server of servers)
      for (const person of await source({ ...server, signal })) listed.set(JSON.stringify(person), person)
  } catch (error) {
    if (signal.aborted || error instanceof NoAnswer)
      throw cannotImport(`${label} took too long. Try again, or paste a list of users.`)
    if (error instanceof Unreachable || error instanceof Limited) throw cannotImport(error.message)
    throw error
  }
  return [...listed.values()]
}
