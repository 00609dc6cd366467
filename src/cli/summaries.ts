/** The summary of each first word, including the service's: help, and the hint for a misspelled word, load nothing else. */
export const SUMMARIES = {
  login: 'Sign in with your browser or a token',
  logout: 'Sign out: delete the token stored for a host',
  whoami: 'Show your user, account, token and its scopes',
  use: 'Choose the project for this folder and its subfolders',
  projects: 'List and show projects',
  tasks: 'List, create, edit and complete tasks',
  builds: 'List, watch, investigate and report builds',
  tests: 'Send test reports, list tests and quarantine them',
  measures: 'Show measures such as package sizes, and set budgets',
  agents: 'List, mute and unmute build machines',
  breakages: 'List, claim, mute and resolve breakages',
  corrections: 'List and undo corrections of findings',
  changes: 'List and show commits and changelists',
  assets: 'List and show assets: textures, models, levels, sounds',
  approvals: 'List approvals; approve, deny or ignore assets',
  comments: 'List, write, edit and delete comments on records',
  history: 'Show who changed what in a record',
  previews: 'List and upload previews of assets',
  deployments: 'List, compare and correct deployments to stores',
  branches: 'Show which branches are green; mark good changes',
  lkg: 'Print the last known good change of a branch',
  preflight: 'Print whether a pull request or shelf is at fault',
  members: 'List the members of a project, and agents on its tasks',
  status: 'Print the state of a branch in one line',
  watch: 'Watch branches, running builds and breakages live',
  feed: 'Show or follow the events of all projects of an account',
  run: 'Run a build and report its start, phases, log and result',
  bridge: 'Report changes of a server that cannot send webhooks',
  diagnose: 'Explain why a build failed from its log, offline',
  bisect: 'Find the change that broke something, with any command',
  mcp: 'Serve tools to an AI assistant (MCP over stdio)',
  open: 'Open a record in the browser and print its URL',
  api: 'Send a request to the API and print the response',
  alias: 'Define short names for commands',
  config: 'Get and set defaults for all commands',
  completion: 'Print the completion script of a shell',
  serve: 'Run the service: web app, API and background jobs',
  work: 'Run background jobs only, for nodes that do not serve',
  migrate: 'Upgrade the database to this version, then exit',
  admin: 'Manage the service: backups, accounts, users, tools',
}

type Named = keyof typeof SUMMARIES

/** The first words of the client, without the service's. */
export type ClientCommand = Exclude<Named, 'serve' | 'work' | 'migrate' | 'admin'>

/** The list of all commands in parts, by what people come for. */
const GROUPS: Readonly<Record<string, readonly Named[]>> = {
  'Sign in:': ['login', 'logout', 'whoami', 'use'],
  'Look and work:': [
    'projects',
    'tasks',
    'builds',
    'tests',
    'measures',
    'agents',
    'breakages',
    'corrections',
    'changes',
    'assets',
    'approvals',
    'comments',
    'history',
    'previews',
    'deployments',
    'branches',
    'lkg',
    'preflight',
    'members',
    'status',
    'watch',
    'feed',
  ],
  'CI and tools:': ['run', 'bridge', 'diagnose', 'bisect', 'mcp', 'api'],
  'This command line:': ['open', 'alias', 'config', 'completion'],
  'Run the service:': ['serve', 'work', 'migrate', 'admin'],
}

export const groupOf = (name: string): string | undefined =>
  Object.keys(GROUPS).find((group) => GROUPS[group]!.some((each) => each === name))
