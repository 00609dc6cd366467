import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token, issues of the last months can be imported, and users of the workspace can be matched with members.',
  fields: [
    { key: 'server', label: 'GraphQL URL', hint: 'https://api.linear.app/graphql' },
    { key: 'api_token', label: 'API key', hint: 'Personal, with the permission Read and access to the teams' },
    { key: 'teams', label: 'Team keys', hint: 'GAM, OPS. Issues of these teams are imported.' },
  ],
}
