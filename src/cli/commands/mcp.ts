import { TOOLSETS } from '../../contract/sets.ts'
import type { Follow } from '../../mcp/subscriptions/watch.ts'
import { follow } from '../connection/event-stream.ts'
import { openClient } from '../connection/requests.ts'
import { exchange, timeoutSeconds } from '../connection/transport.ts'
import { command, projectId } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const toolsets = (text: string): string[] => {
  const chosen = text.split(',')
  const unknown = chosen.find((each) => !TOOLSETS.includes(each))
  if (unknown !== undefined) throw new Error(`It must be a list of: ${TOOLSETS.join(', ')}.`)
  return chosen
}

export const mcp = command({
  name: 'mcp',
  summary: SUMMARIES.mcp,
  flags: {
    project: { help: 'Limit the tools to this project', value: 'id', read: projectId },
    read_only: { help: 'Offer only tools that change nothing' },
    toolsets: { help: `Offer only these groups of tools, a list of: ${TOOLSETS.join(', ')}`, value: 'list', read: toolsets },
  },
  details:
    'Your assistant starts this command. docs/assistants.md shows the settings for each assistant.\n' +
    'It offers the tools that the scopes of your token allow. The service offers the same tools at /mcp.',
  examples: ['mcp', 'mcp --project 1 --read-only', 'mcp --toolsets builds,tasks', 'mcp --host https://gold.example'],
  async run(call) {
    const { env, site, source, flags } = call
    const { project, read_only: readOnly, toolsets } = flags
    // An assistant does not wait for minutes: it gets the time to wait.
    const client = () => openClient(site, call.token, (url, asked) => exchange(url, asked, timeoutSeconds(env)))
    const { scopes } = (await client().ping({})).token
    // A wrong project in the settings is reported at once, not by every tool.
    if (project !== undefined && scopes.includes('read:projects')) await client().showProject({ project_id: project })
    const { serveStdio } = await import('../../mcp/stdio.ts')
    const signIn =
      source === 'GOLDMASTER_TOKEN'
        ? `Ask the user to create a token at ${site}/settings/tokens, set it as GOLDMASTER_TOKEN and restart this server.`
        : `Ask the user to sign in again with: goldmaster login --host ${site}`
    const askForMore =
      source === 'GOLDMASTER_TOKEN'
        ? signIn
        : `${signIn} --scope all (the page that opens, ${site}/cli/auth, asks for consent), then restart this server.`
    const ownToken = `Ask the user to create a token with it at ${site}/settings/tokens, set it as GOLDMASTER_TOKEN in this assistant's settings, and restart this server.`
    await serveStdio({
      client,
      scopes,
      project,
      readOnly,
      toolsets,
      signIn,
      askForMore,
      ownToken,
      follow: followAt(site, () => call.token),
    })
  },
})

/** The events of a project, for subscribers; the connection is kept open until stopped. */
const followAt =
  (site: string, token: () => string): Follow =>
  (project_id, { event, ended }) =>
    new Promise((resolve, reject) => {
      const stopped = new AbortController()
      const following = {
        site,
        token: token(),
        query: { project_id, include: 'all' },
        connected: () => resolve(() => stopped.abort()),
        event: ({ url }: { url: string }) => event(url),
        missed: () => event(undefined),
        note() {},
        signal: stopped.signal,
      }
      follow(following).then(ended, (error) => {
        reject(error)
        ended()
      })
    })
