import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token, issues of the last months can be imported, and users of the workspace can be matched with members. Fixes of breakages can be written to issues.',
  writeBackDoes: 'Writes one comment to the issue that a task of a breakage links, when the breakage is fixed.',
  writeBackNeeds: 'Read, Write and Create comments for the teams of the issues',
  fields: [
    { key: 'server', label: 'GraphQL URL', hint: 'https://api.linear.app/graphql' },
    { key: 'api_token', label: 'API key', hint: 'Personal, with the permission Read and access to the teams' },
    { key: 'teams', label: 'Team keys', hint: 'GAM, OPS. Issues of these teams are imported.' },
    {
      key: 'done_state',
      label: 'Done status',
      hint: 'Done. The issue is moved there when its breakage is fixed. Empty: it only gets a comment.',
    },
  ],
}
