import type { ProviderName } from '../../../contract/sets.ts'

/** What each tool is called and what it tells us. */
export const TOOLS: Record<ProviderName, { name: string; tells: string }> = {
  github: { name: 'GitHub', tells: 'Commits, pull requests, workflow runs and issues' },
  perforce: { name: 'Perforce', tells: 'Submitted changelists and their files' },
  diversion: { name: 'Diversion', tells: 'Commits of a Diversion repository' },
  lore: { name: 'Lore', tells: 'Revisions of art and other large files' },
  jenkins: { name: 'Jenkins or any CI', tells: 'Builds, logs and artifacts; everything that has curl' },
  buildkite: { name: 'Buildkite', tells: 'Builds and jobs of a pipeline' },
  game_engine: { name: 'Unreal or Unity', tells: 'Cooking, shaders and packaging, while the engine builds' },
  deployment: { name: 'Stores', tells: 'Uploads to Steam, Epic, the App Store, Google Play and others' },
  jira: { name: 'Jira', tells: 'Issues that your tasks name' },
  linear: { name: 'Linear', tells: 'Issues that your tasks name' },
  trello: { name: 'Trello', tells: 'Cards that your tasks name' },
  monday: { name: 'monday.com', tells: 'Items that your tasks name' },
  asana: { name: 'Asana', tells: 'Tasks that your tasks name' },
}

export const TOOL_GROUPS: [title: string, tools: ProviderName[]][] = [
  ['Version control', ['github', 'perforce', 'diversion', 'lore']],
  ['Builds', ['jenkins', 'buildkite', 'game_engine']],
  ['Stores', ['deployment']],
  ['Trackers', ['jira', 'linear', 'trello', 'monday', 'asana']],
]

/** As people call it; what is not in the table is called as it is. */
export const toolName = (provider: string): string => TOOLS[provider as keyof typeof TOOLS]?.name ?? provider
