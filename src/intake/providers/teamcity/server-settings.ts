import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'If you enter your TeamCity server and a token, logs of failed builds are fetched, and people can repeat, stop and start builds.',
  fields: [
    {
      key: 'server',
      label: 'TeamCity server',
      hint: 'https://teamcity.example.com. The operator must allow private addresses.',
    },
    {
      key: 'api_token',
      label: 'Access token',
      hint: 'Of a user with the role Project developer; Project viewer is enough for logs',
    },
    START_PARAMETERS,
  ],
}
