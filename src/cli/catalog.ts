import type { Command as Commander } from 'commander'
import { buildCommand, buildNoun } from '../terminal/build-command.ts'
import type { ClientCommand } from './summaries.ts'

/** With the second word, only that command is built. */
type Load = (verb?: string) => Promise<Commander>

/** The first words of the client and their modules; only the requested one is loaded. */
const COMMANDS: Readonly<Record<ClientCommand, Load>> = {
  login: async () => buildCommand((await import('./commands/session/login.ts')).login),
  logout: async () => buildCommand((await import('./commands/session/logout.ts')).logout),
  whoami: async () => buildCommand((await import('./commands/session/whoami.ts')).whoami),
  use: async () => buildCommand((await import('./commands/use.ts')).use),
  projects: async (verb) => buildNoun((await import('./commands/projects.ts')).projects, verb),
  tasks: async (verb) => buildNoun((await import('./commands/tasks.ts')).tasks, verb),
  builds: async (verb) => buildNoun((await import('./commands/builds.ts')).builds, verb),
  measures: async (verb) => buildNoun((await import('./commands/measures/measures.ts')).measures, verb),
  agents: async (verb) => buildNoun((await import('./commands/agents.ts')).agents, verb),
  tests: async (verb) => buildNoun((await import('./commands/tests/tests.ts')).tests, verb),
  breakages: async (verb) => buildNoun((await import('./commands/breakages.ts')).breakages, verb),
  corrections: async (verb) => buildNoun((await import('./commands/builds/corrections.ts')).corrections, verb),
  changes: async (verb) => buildNoun((await import('./commands/changes.ts')).changes, verb),
  assets: async (verb) => buildNoun((await import('./commands/assets.ts')).assets, verb),
  approvals: async (verb) => buildNoun((await import('./commands/approvals.ts')).approvals, verb),
  comments: async (verb) => buildNoun((await import('./commands/records/comments.ts')).comments, verb),
  history: async () => buildCommand((await import('./commands/records/history.ts')).history),
  previews: async (verb) => buildNoun((await import('./commands/previews/previews.ts')).previews, verb),
  deployments: async (verb) => buildNoun((await import('./commands/deployments.ts')).deployments, verb),
  branches: async (verb) => buildNoun((await import('./commands/branches.ts')).branches, verb),
  preflight: async () => buildCommand((await import('./commands/preflight.ts')).preflight),
  lkg: async () => buildCommand((await import('./commands/lkg.ts')).lkg),
  members: async () => buildCommand((await import('./commands/members.ts')).members),
  status: async () => buildCommand((await import('./commands/board/status.ts')).status),
  watch: async () => buildCommand((await import('./commands/board/watch.ts')).watch),
  feed: async () => buildCommand((await import('./commands/feed.ts')).feed),
  run: async () => buildCommand((await import('./commands/run.ts')).run),
  bridge: async () => (await import('./commands/bridge.ts')).bridge(),
  diagnose: async () => (await import('./commands/diagnose.ts')).diagnose(),
  bisect: async () => buildCommand((await import('./commands/bisect/bisect.ts')).bisect),
  mcp: async () => buildCommand((await import('./commands/mcp.ts')).mcp),
  open: async () => buildCommand((await import('./commands/open.ts')).open),
  api: async () => buildCommand((await import('./commands/api.ts')).api),
  alias: async (verb) =>
    buildNoun(
      (await import('./commands/alias.ts')).alias((name) => name === 'help' || Object.hasOwn(COMMANDS, name)),
      verb,
    ),
  config: async (verb) => buildNoun((await import('./commands/config.ts')).config, verb),
  completion: async () => buildCommand((await import('./commands/completion.ts')).completion),
}

export const CATALOG: Readonly<Record<string, Load>> = COMMANDS
