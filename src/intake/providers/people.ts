import { cannotImport } from '../../contract/errors.ts'
import type { ProviderName } from '../../contract/sets.ts'
import type { ListedPerson } from '../../domain/accounts/people-list.ts'
import { withServer } from '../../domain/integrations/polled.ts'
import { NoAnswer, Unreachable } from '../../net/safe-fetch.ts'
import { Limited } from '../history/ask.ts'
import type { JobContext } from '../job-context.ts'
import { BY_SETTINGS, listOf, reach } from '../reach/reach.ts'
import { users as asana } from './asana/users.ts'
import { users as azureDevops } from './azure-devops/users.ts'
import { users as clickup } from './clickup/users.ts'
import { users as github } from './github/users.ts'
import { users as gitlab } from './gitlab/users.ts'
import { providers } from './index.ts'
import { users as jira } from './jira/users.ts'
import { users as linear } from './linear/users.ts'
import { users as monday } from './monday/users.ts'
import { users as perforce } from './perforce/server.ts'
import { users as shortcut } from './shortcut/users.ts'
import { slackTokens, slackUsers } from './slack-users.ts'
import { type AskedServer, listUsers, type UserList } from './user-list.ts'
import { users as youtrack } from './youtrack/users.ts'

const over = (name: ProviderName, list: UserList) => (server: AskedServer) => listUsers(providers[name], list, server)

/** Tools whose server lists its users with addresses that it has verified. */
const SOURCES: Partial<Record<string, (server: AskedServer) => Promise<ListedPerson[]>>> = {
  perforce: ({ config, ...server }: AskedServer) => perforce(config, server),
  github: over('github', github),
  gitlab: over('gitlab', gitlab),
  jira: over('jira', jira),
  linear: over('linear', linear),
  monday: over('monday', monday),
  asana: over('asana', asana),
  azure_devops: over('azure_devops', azureDevops),
  clickup: over('clickup', clickup),
  shortcut: over('shortcut', shortcut),
  youtrack: over('youtrack', youtrack),
} satisfies Partial<Record<ProviderName, unknown>>

export const canListUsers = (provider: string): boolean => SOURCES[provider] !== undefined

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
  const source = SOURCES[provider]
  if (!source) throw cannotImport('This tool can’t be asked for its users. Paste a list of them.')
  const { label } = providers[provider as ProviderName]
  const connected = await withServer(db, provider as ProviderName, accountId)
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
