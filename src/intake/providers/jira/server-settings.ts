import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter your Jira site and a token, issues of the last months can be imported, and its users can be matched with members. Fixes of breakages can be written to issues.',
  writeBackDoes: 'Writes one comment to the issue that a task of a breakage links, when the breakage is fixed.',
  writeBackNeeds: 'Browse projects, Add comments and Edit own comments; with a done status also Transition issues',
  fields: [
    { key: 'server', label: 'Jira site', hint: 'https://your-site.atlassian.net. The operator must allow private addresses.' },
    {
      key: 'user',
      label: 'User',
      hint: 'Cloud: the email address of the token’s owner. Data Center: empty for a personal access token.',
    },
    { key: 'api_token', label: 'API token', hint: 'Of a user who may browse the projects. Cloud: a token without scopes' },
    { key: 'projects', label: 'Project keys', hint: 'GAME, OPS. Issues of these projects are imported.' },
    {
      key: 'done_state',
      label: 'Done status',
      hint: 'Done. The issue is moved there when its breakage is fixed. Empty: it only gets a comment.',
    },
  ],
}
