import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'If you enter your Jenkins server, console output, artifacts and times are fetched from it, and people can start, repeat and stop builds.',
  fields: [
    {
      key: 'server',
      label: 'Jenkins server',
      hint: 'https://jenkins.example.com. The operator must allow private addresses.',
    },
    { key: 'user', label: 'User' },
    { key: 'api_token', label: 'API token' },
    START_PARAMETERS,
  ],
}
