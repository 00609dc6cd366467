import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'With a server to ask, console, artifacts and times of a build are fetched from Jenkins itself, and builds can be started.',
  fields: [
    {
      key: 'server',
      label: 'Jenkins server',
      hint: 'https://jenkins.example.com; a private address must be allowed by the operator.',
    },
    { key: 'user', label: 'User' },
    { key: 'api_token', label: 'API token' },
  ],
}
